/**
 * Returns the letters and digits of a header name in lower case. Some readers do not distinguish names that differ only
 * in case and separators: CGI and WSGI map both `X-Remote-User` and `X_Remote_User` to `HTTP_X_REMOTE_USER`.
 */
export const fieldSpelling = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Prefixes of the usual header names by which front proxies pass the user of a request. */
const STEMS = ['xremoteuser', 'xremoteuid', 'xremotegroup', 'xremoteextra']

/**
 * Whether a header name is one of the usual ones for the user of a request, or can be mistaken for one:
 * `X_Remote_User`, `X-Remote-Groups`.
 */
export function isUserField(name: string): boolean {
  const spelling = fieldSpelling(name)
  return STEMS.some(stem => spelling.startsWith(stem))
}
