/** Parses `host:port` or `[address]:port`. Undefined for any other text, and for ports outside 1 to 65535. */
export function hostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]/@\s]+)):(\d{1,5})$/.exec(text) ?? []
  const number = Number(port)
  return number >= 1 && number <= 65535 ? { host: bracketed ?? plain, port: number } : undefined
}
