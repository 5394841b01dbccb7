/** `host:port` and `[address]:port`; undefined for anything else. */
export function hostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]/@\s]+)):(\d{1,5})$/.exec(text) ?? []
  const number = Number(port)
  return number >= 1 && number <= 65535 ? { host: bracketed ?? plain, port: number } : undefined
}
