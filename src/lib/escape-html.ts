const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes a text that a browser might render as HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>]/g, c => ENTITIES[c] ?? c)
