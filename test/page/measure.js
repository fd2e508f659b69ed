// measure.js
//	Looks at pages, each in a frame of a width of its own, and writes what is wrong with them, and where their sections are,
//	as JSON into the element "result".  Nothing of it is on the pages themselves.
'use strict';

// Relative luminance and contrast by WCAG 2.2.
function channels(colour) { return (colour.match(/[\d.]+/g) || []).map(Number); }

function luminance(rgb)
{
	const [r, g, b] = rgb.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b)
{
	const [x, y] = [luminance(a), luminance(b)];
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function backgroundOf(element, view)
{
	for (let e = element; e; e = e.parentElement) {
		const c = channels(view.getComputedStyle(e).backgroundColor);
		if (c.length === 3 || c[3] === 1)
			return c.slice(0, 3);
	}
	return channels(view.getComputedStyle(view.document.querySelector('svg rect') || view.document.body).fill);
}

function nameOf(element)
{
	return element.tagName + (element.className && element.className.baseVal === undefined ? '.' + element.className : '') + ' "' + element.textContent.trim().slice(0, 40) + '"';
}

function textElements(doc)
{
	return [...doc.body.querySelectorAll('*')].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim() !== ''));
}

function lowContrast(doc, view)
{
	return textElements(doc).filter(e => {
		const style = view.getComputedStyle(e);
		const ink = channels(e.namespaceURI.endsWith('svg') ? style.fill : style.color).slice(0, 3);
		return !e.closest('title') && contrast(ink, backgroundOf(e, view)) < 4.5;
	}).map(nameOf);
}

// Lines and bars of figures have to be told from the page.
function lowContrastOfMarks(doc, view)
{
	const page = channels(view.getComputedStyle(doc.body).backgroundColor).slice(0, 3);
	return [...doc.querySelectorAll('svg line, svg polyline, svg rect:not(:first-of-type)')].filter(e => {
		const style = view.getComputedStyle(e);
		return contrast(channels(style.stroke === 'none' ? style.fill : style.stroke).slice(0, 3), page) < 3;
	}).map(e => e.outerHTML.slice(0, 80));
}

// What is beyond the window, and does not scroll; on paper nothing scrolls.
function beyond(doc, view, onPaper)
{
	const width = doc.documentElement.clientWidth;
	return [...doc.body.querySelectorAll('*')].filter(e => {
		const box = e.getBoundingClientRect();
		const frame = e.parentElement.closest('.wide');
		return box.width > 0 && (box.left < -0.5 || box.right > width + 0.5) && (onPaper || !frame || e.classList.contains('wide'));
	}).map(nameOf);
}

function clipped(doc, view)
{
	const hidden = [...doc.body.querySelectorAll('*')].filter(e => {
		const style = view.getComputedStyle(e);
		return !e.namespaceURI.endsWith('svg') && (style.overflowX === 'hidden' || style.overflowX === 'clip' || style.textOverflow === 'ellipsis')
			|| e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && e.classList.contains('wide') && style.overflowX !== 'auto';
	}).map(nameOf);
	const outside = [...doc.querySelectorAll('svg text')].filter(e => {
		const [box, figure] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];
		return box.left < figure.left - 0.5 || box.right > figure.right + 0.5 || box.top < figure.top - 0.5 || box.bottom > figure.bottom + 0.5;
	}).map(nameOf);
	return hidden.concat(outside);
}

function headings(doc)
{
	const levels = [...doc.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => Number(h.tagName[1]));
	const wrong = levels.filter((level, i) => level > (i === 0 ? 0 : levels[i - 1]) + 1);
	return levels.filter(level => level === 1).length === 1 ? wrong : ['headings of level 1: ' + levels.filter(level => level === 1).length];
}

function unnamed(doc)
{
	return [...doc.querySelectorAll('svg, table, .wide, nav, section, img')].filter(e => {
		switch (e.tagName.toLowerCase()) {
			case 'svg': return e.getAttribute('role') !== 'img' || !e.querySelector('title') || !e.querySelector('title').textContent;
			case 'table': return !e.caption || !e.caption.textContent || [...e.querySelectorAll('th')].some(h => !h.scope);
			case 'section': return !doc.getElementById(e.getAttribute('aria-labelledby'));
			case 'img': return true;
			default: return !e.getAttribute('aria-label') || e.className === 'wide' && (e.tabIndex !== 0 || e.getAttribute('role') !== 'region');
		}
	}).map(nameOf);
}

function deadLinks(doc)
{
	return [...doc.querySelectorAll('a')].filter(a => !a.hash || !doc.getElementById(a.hash.slice(1))).map(nameOf);
}

// Is a fraction higher than a line of text, and has every formula a size?
function flatFormulas(doc)
{
	return [...doc.querySelectorAll('math')].filter(m => {
		const box = m.getBoundingClientRect();
		return box.width === 0 || m.querySelector('mfrac') && box.height < 1.8 * parseFloat(doc.defaultView.getComputedStyle(m).fontSize);
	}).map(nameOf);
}

function foreign(doc)
{
	return [...doc.querySelectorAll('script, link, iframe, object, embed, img, form, [src], [onclick], [onerror], [onmouseover]')].map(nameOf);
}

function onPaper(doc)
{
	for (const rule of doc.styleSheets[0].cssRules) {
		if (rule.media && rule.media.mediaText === 'print')
			rule.media.mediaText = 'all';
	}
}

function measure(frame, scheme)
{
	const [doc, view] = [frame.contentDocument, frame.contentWindow];
	const paper = frame.dataset.paper === '1';
	if (paper)
		onPaper(doc);
	return {
		page: frame.dataset.page, width: doc.documentElement.clientWidth, paper,
		formulas: doc.querySelectorAll('math').length, figures: doc.querySelectorAll('svg').length,
		problems: {
			'the page is not wider than the window': doc.documentElement.scrollWidth > doc.documentElement.clientWidth ? [doc.documentElement.scrollWidth] : [],
			'nothing is beyond it that does not scroll': beyond(doc, view, paper),
			'nothing is cut off': clipped(doc, view),
			'headings are in order': headings(doc),
			'all has a name that needs one': unnamed(doc),
			'links lead somewhere': deadLinks(doc),
			'formulas are typeset': flatFormulas(doc),
			'text has contrast': lowContrast(doc, view),
			'lines and bars have contrast': lowContrastOfMarks(doc, view),
			'nothing is from elsewhere, and nothing runs': foreign(doc),
			'it is light or dark as is asked for': view.matchMedia('(prefers-color-scheme: dark)').matches === (scheme === 'dark')
				&& luminance(channels(view.getComputedStyle(doc.body).backgroundColor)) < 0.5 === (scheme === 'dark' && !paper) ? [] : [view.getComputedStyle(doc.body).backgroundColor],
		},
		sections: [...doc.querySelectorAll('section')].map(s => {
			const box = s.getBoundingClientRect();
			return [s.getAttribute('aria-labelledby'), Math.round(box.left), Math.round(box.width), Math.round(box.height)];
		}),
	};
}

window.addEventListener('load', () => {
	const made = [...document.querySelectorAll('iframe')].map(frame => measure(frame, document.body.dataset.scheme));
	document.getElementById('result').textContent = JSON.stringify(made);
});
