/*
 * html_style.c
 *		How a page looks: narrow and wide, light and dark, and on paper.
 *
 * What is wider than the page scrolls inside its own frame (.wide), so that the page itself is never wider than the
 * window; on paper, where nothing scrolls, words are broken.  Contrast of text is at least 4.5, of lines of figures 3
 * (WCAG 2.2, 1.4.3 and 1.4.11), in both schemes.  Figures bring their colours as attributes, for which a style sheet
 * goes first: they are replaced one by one.
 */
#include "plot/html_style.h"

const char dps_html_style[] =
":root { color-scheme: light dark; --ink: #1f2328; --soft: #57606a; --page: #ffffff; --line: #c4cad1; --head: #f2f4f7; --alert: #fbf1f0;"
" --mark: #b3261e; --link: #0b57b0; --bar: #3b6ea5; --b: #a5481a; --c: #2e7d4f; --d: #7a4fa3; --e: #5b6470; --f: #00707c }\n"
"@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #b0b8c1; --page: #16181b; --line: #4a4e55; --head: #24272c; --alert: #3a2422;"
" --mark: #ff8a80; --link: #8ab4f8; --bar: #7aa7d9; --b: #f0a275; --c: #79c99a; --d: #c3a0e8; --e: #aab3bd; --f: #6cc7d2 } }\n"
"@media print { :root { color-scheme: light; --ink: #000000; --soft: #444444; --page: #ffffff; --line: #999999; --head: #eeeeee; --alert: #ffffff;"
" --mark: #b3261e; --link: #000000; --bar: #3b6ea5; --b: #a5481a; --c: #2e7d4f; --d: #7a4fa3; --e: #5b6470; --f: #00707c } }\n"
"* { box-sizing: border-box }\n"
"body { font: 16px/1.5 sans-serif; color: var(--ink); background: var(--page); max-width: 72em; margin: 0 auto; padding: 1em; overflow-wrap: anywhere }\n"
"h1 { font-size: 1.6em; line-height: 1.25 } h2 { font-size: 1.3em; border-bottom: 1px solid var(--line); margin-top: 2em } h3 { font-size: 1.15em; margin-top: 1.6em } h4 { font-size: 1em }\n"
"a { color: var(--link) } nav ol, ul { margin: 0.4em 0; padding-left: 1.6em } li { margin: 0.25em 0 }\n"
".warning { border-left: 4px solid var(--mark); padding: 0.3em 1em; background: var(--alert) }\n"
".wide { overflow-x: auto; max-width: 100%; margin-bottom: 1em } .wide:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }\n"
"figure { margin: 1em 0 } figcaption, caption { color: var(--soft); font-size: 0.9em; text-align: left; padding: 0.3em 0 }\n"
"table { border-collapse: collapse; font-size: 0.875em; overflow-wrap: break-word }\n"
"th, td { border: 1px solid var(--line); padding: 3px 8px; text-align: left; vertical-align: top }\n"
"thead th { background: var(--head) } tbody th { font-weight: 600; min-width: 12em; max-width: 20em; overflow-wrap: anywhere } .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
"code { font: 0.9em/1.4 monospace; overflow-wrap: anywhere } td code { display: inline-block; min-width: 20em }\n"
"math { font-size: 1.1em } mtd { text-align: left }\n"
"svg { display: block; width: 100%; min-width: 30em; max-width: 40em; height: auto }\n"
"svg rect[fill=\"#ffffff\"] { fill: var(--page) } svg rect[fill=\"#3b6ea5\"] { fill: var(--bar) } svg text[fill=\"#222222\"] { fill: var(--ink) }\n"
"svg line[stroke=\"#222222\"] { stroke: var(--ink) } svg [stroke=\"#c0392b\"] { stroke: var(--mark) } svg text[fill=\"#c0392b\"] { fill: var(--mark) }\n"
"svg [stroke=\"#3b6ea5\"] { stroke: var(--bar) } svg [stroke=\"#a5481a\"] { stroke: var(--b) } svg [stroke=\"#2e7d4f\"] { stroke: var(--c) }\n"
"svg [stroke=\"#7a4fa3\"] { stroke: var(--d) } svg [stroke=\"#5b6470\"] { stroke: var(--e) } svg [stroke=\"#00707c\"] { stroke: var(--f) }\n"
"@media print { body { font-size: 10pt; max-width: none; padding: 0 } nav { display: none } .wide { overflow: visible } table { width: 100%; font-size: 7pt }"
" th, td { overflow-wrap: anywhere; padding: 2px 3px } .number { white-space: normal } td code, tbody th { min-width: 0 } thead { display: table-header-group }"
" tr, figure, .warning { break-inside: avoid } h2, h3, h4 { break-after: avoid } svg { min-width: 0 } a { text-decoration: none } }\n";
