/** The name by which a proxy knows requests again that it has passed on (RFC 9110, 7.6.3), so that a loop of servers ends. */
export class Via {
  readonly #entry: string

  /** `id`: unique to this server. */
  constructor(id: string) {
    this.#entry = `1.1 binnacle-${id}`
  }

  hasPassed(header: string | undefined): boolean {
    return header?.includes(this.#entry) === true
  }

  /** The header of a request that is passed on. */
  after(header: string | undefined): string {
    return header === undefined || header === '' ? this.#entry : `${header}, ${this.#entry}`
  }
}
