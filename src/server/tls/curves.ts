/**
 * Key exchange groups by IANA number, which are Go's CurveIDs, in Go's order of preference. `openssl`: undefined for
 * groups that OpenSSL supports from 3.5 on only.
 */
const CURVES: readonly { readonly id: number; readonly openssl?: string }[] = [
  { id: 4588 },
  { id: 4587 },
  { id: 4589 },
  { id: 29, openssl: 'X25519' },
  { id: 23, openssl: 'P-256' },
  { id: 24, openssl: 'P-384' },
  { id: 25, openssl: 'P-521' },
]
const MOST = 65_535

/**
 * Converts `--tls-curve-preferences` to OpenSSL's `groups`. Undefined if the list is empty. The given order has no
 * effect, as in Go.
 */
export function curvesOf(ids: readonly string[]): { readonly groups: string | undefined } | { readonly fault: string } {
  const seen = new Set<number>()
  for (const text of ids) {
    const id = Number(text)
    if (!Number.isInteger(id) || id <= 0 || id > MOST) return { fault: `curve preference ${text} is out of range (must be 1-${MOST})` }
    if (seen.has(id)) return { fault: `duplicate curve preference ${id}` }
    const curve = CURVES.find(each => each.id === id)
    if (curve === undefined) return { fault: `curve preference ${id} is not supported by the current Go version` }
    if (curve.openssl === undefined)
      return { fault: `--tls-curve-preferences=${id} is not implemented: Node does not take groups of ML-KEM` }
    seen.add(id)
  }
  const groups = CURVES.flatMap(({ id, openssl }) => (seen.has(id) && openssl !== undefined ? [openssl] : []))
  return { groups: groups.length > 0 ? groups.join(':') : undefined }
}
