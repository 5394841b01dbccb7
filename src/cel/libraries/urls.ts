import { parseDeclarations } from '../declarations.ts'

/**
 * URLs and their parts: `url(self.endpoint).getHostname()`. Texts are parsed as request URIs by Go's net/url: absolute
 * URLs and absolute paths. Any other text is an error; `isURL` tests for it. Source: kubernetes/apiserver,
 * pkg/cel/library/urls.go.
 */
export const URLS = parseDeclarations(`
  url_get_escaped_path: .getEscapedPath(kubernetes.URL) -> string
  url_get_host: .getHost(kubernetes.URL) -> string
  url_get_hostname: .getHostname(kubernetes.URL) -> string
  url_get_port: .getPort(kubernetes.URL) -> string
  url_get_query: .getQuery(kubernetes.URL) -> map(string, list(string))
  url_get_scheme: .getScheme(kubernetes.URL) -> string
  is_url_string: isURL(string) -> bool
  string_to_url: url(string) -> kubernetes.URL
`)
