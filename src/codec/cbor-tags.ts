/** Tags that decoding heeds (RFC 8949, section 3.4). Others are dropped. */
export const DATE_TIME = 0
export const EPOCH = 1
export const POSITIVE_BIGNUM = 2
export const NEGATIVE_BIGNUM = 3
const LATER_BASE64URL = 21
const LATER_BASE64 = 22
const LATER_BASE16 = 23

/** Whether a tag requests a text form of the byte strings within it (RFC 8949, section 3.4.5.2). */
export const isLaterEncoding = (tag: number | bigint): tag is number =>
  tag === LATER_BASE64URL || tag === LATER_BASE64 || tag === LATER_BASE16

/** Encodes bytes as such a tag requests. */
export function laterEncoded(bytes: Buffer, tag: number): string {
  return tag === LATER_BASE64 ? bytes.toString('base64') : tag === LATER_BASE64URL ? bytes.toString('base64url') : bytes.toString('hex')
}
