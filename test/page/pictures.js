// pictures.js
//	In a page of images, and of elements "data" that say which part of which is a picture, and like which kept one it is to
//	be: makes each small, block by block, and compares.  Writes into "result", as JSON and by name: the small picture, blocks
//	that differ, colours of what is flat, and, if that is asked for, a picture with the blocks marked.  Says nothing of what
//	is tolerable but by the numbers that pictures.pl gives (data-block, data-far).
'use strict';

const block = Number(document.body.dataset.block);
const far = Number(document.body.dataset.far);
const [across, down] = [6, 16];		// letters are no more than 15 pixels high

function canvasOf(image, x, width, height)
{
	const canvas = document.createElement('canvas');
	[canvas.width, canvas.height] = [width, height];
	canvas.getContext('2d').drawImage(image, -x, 0);
	return canvas;
}

function pixelsOf(canvas) { return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); }

// The mean of each block, of blocks at the right and lower edge that of what there is.
function smaller(pixels)
{
	const [width, height] = [Math.ceil(pixels.width / block), Math.ceil(pixels.height / block)];
	const [sums, counts] = [new Float64Array(width * height * 3), new Float64Array(width * height)];
	for (let y = 0, i = 0; y < pixels.height; y++) {
		for (let x = 0; x < pixels.width; x++, i += 4) {
			const at = Math.floor(y / block) * width + Math.floor(x / block);
			counts[at]++;
			for (let c = 0; c < 3; c++)
				sums[3 * at + c] += pixels.data[i + c];
		}
	}
	const small = new ImageData(width, height);
	for (let at = 0; at < counts.length; at++) {
		for (let c = 0; c < 3; c++)
			small.data[4 * at + c] = Math.round(sums[3 * at + c] / counts[at]);
		small.data[4 * at + 3] = 255;
	}
	return small;
}

function urlOf(pixels)
{
	const canvas = document.createElement('canvas');
	[canvas.width, canvas.height] = [pixels.width, pixels.height];
	canvas.getContext('2d').putImageData(pixels, 0, 0);
	return canvas.toDataURL('image/png');
}

// Adds the runs of one colour from "start" on, "step" by step.
function addRuns(found, words, start, step, count, shortest)
{
	for (let i = 0; i < count;) {
		let next = i + 1;
		while (next < count && words[start + next * step] === words[start + i * step])
			next++;
		if (next - i >= shortest)
			found.set(words[start + i * step], (found.get(words[start + i * step]) || 0) + next - i);
		i = next;
	}
}

// Pixels by colour, of those in a row of some alike, across or down: the insides of letters, lines and areas, but no edges.
function coloursOf(pixels)
{
	const words = new Uint32Array(pixels.data.buffer);
	const found = new Map();
	for (let y = 0; y < pixels.height; y++)
		addRuns(found, words, y * pixels.width, 1, pixels.width, across);
	for (let x = 0; x < pixels.width; x++)
		addRuns(found, words, x, pixels.width, pixels.height, down);
	return [...found].map(([word, count]) => [word & 255, word >> 8 & 255, word >> 16 & 255, count]);
}

function differing(have, want)
{
	const found = [];
	for (let y = 0; y < Math.min(have.height, want.height); y++) {
		for (let x = 0; x < Math.min(have.width, want.width); x++) {
			const [a, b] = [have, want].map(p => [...p.data.subarray(4 * (y * p.width + x), 4 * (y * p.width + x) + 3)]);
			const distance = Math.max(...a.map((v, c) => Math.abs(v - b[c])));
			if (distance > 0)
				found.push([x, y, distance, a, b]);
		}
	}
	return found;
}

function marked(canvas, blocks)
{
	const pen = canvas.getContext('2d');
	pen.strokeStyle = '#ff00ff';
	for (const [x, y] of blocks)
		pen.strokeRect(x * block + 0.5, y * block + 0.5, block - 1, block - 1);
	return canvas.toDataURL('image/png');
}

function compare(said)
{
	const kept = document.getElementById(said.dataset.want);
	const canvas = canvasOf(document.getElementById(said.dataset.file), Number(said.dataset.x), Number(said.dataset.width), Number(said.dataset.height));
	const pixels = pixelsOf(canvas);
	const small = smaller(pixels);
	const want = kept && pixelsOf(canvasOf(kept, 0, kept.naturalWidth, kept.naturalHeight));
	const all = want ? differing(small, want) : [];
	const wrong = all.filter(b => b[2] > far);
	return {
		name: said.dataset.name, size: [small.width, small.height], kept: want && [want.width, want.height], small: urlOf(small), colours: coloursOf(pixels),
		touched: all.length, greatest: Math.max(0, ...all.map(b => b[2])), wrong, marked: wrong.length > 0 && said.dataset.mark === '1' ? marked(canvas, wrong) : null,
	};
}

window.addEventListener('load', () => {
	const made = [...document.querySelectorAll('data')].map(compare);
	document.getElementById('result').textContent = JSON.stringify(made);
});
