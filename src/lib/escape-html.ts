const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes a text that a browser might render as HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>]/g, c => ENTITIES[c] ?? c)

const GO_ENTITIES: Readonly<Record<string, string>> = { ...ENTITIES, '"': '&#34;', "'": '&#39;' }

/** Escapes a text as Go's html.EscapeString does, also for attributes in quotes. */
export const escapeHtmlAsGo = (text: string): string => text.replace(/[&<>"']/g, c => GO_ENTITIES[c] ?? c)
