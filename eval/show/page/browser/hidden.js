(() => {
	const name = (e) => e.tagName + ' ' + (e.ariaLabel || e.className || '') + ' ' + e.textContent.trim().slice(0, 40);
	const found = [], root = document.querySelector('dialog[open]') || document.querySelector('main');
	const seen = 'h2, h3, summary, dd, label, button, table.episodes tbody tr:first-child a';
	for (const e of root.querySelectorAll(seen)) {
		if (!e.checkVisibility()) continue;
		e.scrollIntoView({ block: 'start' });
		const box = e.getClientRects()[0], top = document.elementFromPoint(box.x + 3, box.y + box.height / 2);
		if (!top || !(e.contains(top) || top.contains(e) && top.closest('nav') === e.closest('nav'))) {
			found.push('covered: ' + name(e) + ' by ' + (top ? name(top) : 'nothing'));
		}
	}
	for (const e of document.querySelectorAll('nav')) {
		const style = getComputedStyle(e);
		const clear = style.backgroundColor === 'rgba(0, 0, 0, 0)';
		if (style.position === 'sticky' && clear) found.push('text shines through: ' + name(e));
	}
	for (const e of [root, ...root.querySelectorAll('*')]) {
		if (e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1) continue;
		if (e.matches('.sr, select, input, textarea, svg, svg *') || !e.checkVisibility()) continue;
		const style = getComputedStyle(e);
		if (style.overflowY === 'visible') continue;
		const long = e.matches('.long') && e.previousElementSibling.textContent.includes('rows scroll');
		if (e.scrollHeight > e.clientHeight + 1 && !long) found.push('cut at the bottom: ' + name(e));
		const wide = getComputedStyle(e, '::before').content.includes('Scroll sideways') || style.maskImage !== 'none';
		if (e.scrollWidth > e.clientWidth + 1 && !wide) found.push('cut at the right: ' + name(e));
	}
	return found.slice(0, 10).join('\n');
})()
