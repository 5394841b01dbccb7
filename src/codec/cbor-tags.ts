/** Tags that decoding heeds (RFC 8949, section 3.4). Others are dropped. */
export const DATE_TIME = 0
export const EPOCH = 1
export const POSITIVE_BIGNUM = 2
export const NEGATIVE_BIGNUM = 3
export const LATER_BASE64URL = 21
export const LATER_BASE64 = 22
export const LATER_BASE16 = 23

/** Tags 21 to 23 (RFC 8949, section 3.4.5.2): encodes bytes as the tag requests. */
export function laterEncoded(bytes: Buffer, tag: number): string {
  return tag === LATER_BASE64 ? bytes.toString('base64') : tag === LATER_BASE64URL ? bytes.toString('base64url') : bytes.toString('hex')
}
