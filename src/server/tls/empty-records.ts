/** Bytes of TLS without data that a connection may bring, and more of them each second. A record has 22 bytes around its data. */
const SPARE_BYTES = 32 * 1024
const SPARE_PER_SECOND = 16 * 1024
/** Of the handshake. A longer one counts: what comes in the same read cannot be told from it. */
const HANDSHAKE_BYTES = 32 * 1024
/** For each byte of data: frames of HTTP/2 of nine bytes in records of their own need two. */
const SPARE_PER_BYTE = 4

/**
 * Measures what a TLS connection brings beside data. In TLS 1.3 a client may send updates of its key, 27 bytes each, for which OpenSSL derives new keys in 14 µs, and of which Node reports nothing but the bytes of the
 * connection below (RFC 8446, section 4.6.3). crypto/tls allows 16 in a row.
 */
export class EmptyRecords {
  #raw: number
  #data: number
  #looked: number
  #spent = 0

  /** As of the end of the handshake. `now`: milliseconds. `raw`: bytes that came over TCP. `data`: those of them that TLS gave out. */
  constructor(now: number, raw: number, data: number) {
    this.#looked = now
    this.#raw = Math.min(raw, HANDSHAKE_BYTES)
    this.#data = data
  }

  /** Whether too much has come beside data. */
  isFlood(now: number, raw: number, data: number): boolean {
    const came = raw - this.#raw - (data - this.#data) * (1 + SPARE_PER_BYTE)
    const forgiven = ((now - this.#looked) / 1000) * SPARE_PER_SECOND
    this.#raw = raw
    this.#data = data
    this.#looked = now
    this.#spent = Math.max(0, this.#spent - forgiven) + Math.max(0, came)
    return this.#spent > SPARE_BYTES
  }
}
