/**
 * Longest validity of certificates in seconds, as kube-controller-manager's --cluster-signing-duration by default: a
 * year.
 */
export const LONGEST_SECONDS = 8760 * 3600
const SHORTEST_SECONDS = 600
/** Validity before the time of issue, for clients whose clock is slow, in milliseconds. */
const BACKDATE_MS = 5 * 60_000
/** Shorter certificates do not end earlier because they begin earlier, in seconds. */
const SHORT_SECONDS = 8 * 3600

/** Returns the validity of a certificate in seconds: what is requested, within the limits. */
export const certificateSeconds = (requested: number | undefined, limit = LONGEST_SECONDS): number =>
  requested === undefined || requested > limit ? limit : Math.max(requested, SHORTEST_SECONDS)

/**
 * Returns the times between which a certificate is valid. It ends no later than its issuer. Throws an Error if the
 * issuer has expired.
 * @param now milliseconds since the epoch.
 */
export function certificateTimes(seconds: number, now: number, issuerEnds: number): { readonly notBefore: Date; readonly notAfter: Date } {
  if (now >= issuerEnds)
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${new Date(issuerEnds).toISOString()}`)
  const end = now + seconds * 1000 - (seconds < SHORT_SECONDS ? 0 : BACKDATE_MS)
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(Math.min(end, issuerEnds)) }
}
