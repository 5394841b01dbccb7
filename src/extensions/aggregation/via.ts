/** Via header that marks requests this server has proxied (RFC 9110, 7.6.3), to end proxy loops. */
export class Via {
  readonly #entry: string

  /** @param id unique to this server. */
  constructor(id: string) {
    this.#entry = `1.1 binnacle-${id}`
  }

  hasPassed(header: string | undefined): boolean {
    return header?.includes(this.#entry) === true
  }

  /** Returns the Via header for a request to proxy. */
  after(header: string | undefined): string {
    return header === undefined || header === '' ? this.#entry : `${header}, ${this.#entry}`
  }
}
