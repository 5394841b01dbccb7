/**
 * The letters and digits of a header field's name in lower case. Names that differ in case and separators alone are one name to some readers: CGI and WSGI make `HTTP_X_REMOTE_USER` of both
 * `X-Remote-User` and `X_Remote_User`.
 */
export const fieldSpelling = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Prefixes of the header names by which front proxies usually name the user of a request. */
const STEMS = ['xremoteuser', 'xremoteuid', 'xremotegroup', 'xremoteextra']

/** Whether a field says for whom a request is by one of the usual names, or a name that readers may take for one: `X_Remote_User`, `X-Remote-Groups`. */
export function isUserField(name: string): boolean {
  const spelling = fieldSpelling(name)
  return STEMS.some(stem => spelling.startsWith(stem))
}
