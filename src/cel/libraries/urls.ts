import { declare } from '../declarations.ts'

/**
 * URLs, parsed and taken apart: `url(self.endpoint).getHostname()`. Texts are read as Go's net/url reads what a request
 * line may name: absolute URLs, and absolute paths. What is no such text is an error, and `isURL` asks first.
 * Source: kubernetes/apiserver, pkg/cel/library/urls.go.
 */
export const URLS = declare(`
  url_get_escaped_path: .getEscapedPath(kubernetes.URL) -> string
  url_get_host: .getHost(kubernetes.URL) -> string
  url_get_hostname: .getHostname(kubernetes.URL) -> string
  url_get_port: .getPort(kubernetes.URL) -> string
  url_get_query: .getQuery(kubernetes.URL) -> map(string, list(string))
  url_get_scheme: .getScheme(kubernetes.URL) -> string
  is_url_string: isURL(string) -> bool
  string_to_url: url(string) -> kubernetes.URL
`)
