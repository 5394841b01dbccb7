/** Bytes without data that a TLS connection may bring at once, and per second. A record adds 22 bytes to its data. */
const SPARE_BYTES = 32 * 1024
const SPARE_PER_SECOND = 16 * 1024
/**
 * Bytes of a handshake, which are not counted. Bytes beyond are: those that come in the same read cannot be
 * distinguished from it.
 */
const HANDSHAKE_BYTES = 32 * 1024
/** Additional bytes for each byte of data. HTTP/2 frames of nine bytes, each in its own record, need two. */
const SPARE_PER_BYTE = 4

/**
 * Measures the bytes that a TLS connection brings besides data. In TLS 1.3 a client may send key updates of 27 bytes
 * each (RFC 8446, section 4.6.3). OpenSSL derives new keys for each in 14 µs, and Node reports nothing but the bytes of
 * the TCP connection. crypto/tls allows 16 in a row.
 */
export class EmptyRecords {
  #raw: number
  #data: number
  #looked: number
  #spent = 0

  /**
   * Starts to measure at the end of the handshake. `now`: milliseconds. `raw`: bytes that came over TCP. `data`:
   * decrypted bytes.
   */
  constructor(now: number, raw: number, data: number) {
    this.#looked = now
    this.#raw = Math.min(raw, HANDSHAKE_BYTES)
    this.#data = data
  }

  /** Reports whether too many bytes without data have come. Arguments as for the constructor. */
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
