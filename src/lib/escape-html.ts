const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** For texts that a browser might take for a page. */
export const escapeHtml = (text: string): string => text.replace(/[&<>]/g, c => ENTITIES[c] ?? c)
