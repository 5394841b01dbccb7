import type { ExternalSigner } from '../auth/authn/service-account/external/external-signer.ts'
import type { AccessConfig, AccessGroups } from '../config/access-config.ts'
import type { Clock } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'

/** Maximum lifetimes of service account tokens, in seconds. */
interface TokenLifetimes {
  /** Maximum requested lifetime. 0: unlimited. */
  readonly maxExpirationSeconds: number
  /** Extended lifetime of pod tokens. */
  readonly maxExtendedSeconds: number
}

/** External token signer (`--service-account-signing-endpoint`). */
interface ExternalSignerService extends TokenLifetimes {
  readonly signer: ExternalSigner
  readonly metrics: readonly MetricFamily[]
}

const YEAR_SECONDS = 365 * 24 * 3600
/** Lifetime that kubelets request. */
const KUBELET_SECONDS = 3607

/** Returns the lifetimes of the external signer, or those of the configuration without one. */
export const lifetimesOf = (external: ExternalSignerService | undefined, { serviceAccounts }: AccessConfig): TokenLifetimes => ({
  maxExpirationSeconds: (external ?? serviceAccounts).maxExpirationSeconds,
  maxExtendedSeconds: external?.maxExtendedSeconds ?? YEAR_SECONDS,
})

/**
 * Connects to the external signer if one is configured; its module is loaded on demand. Throws an Error in
 * kube-apiserver's words.
 */
export async function openExternalSignerService(
  { access, release }: AccessGroups,
  clock: Clock,
  log: Logger,
): Promise<ExternalSignerService | undefined> {
  const { signingEndpoint: endpoint, maxExpirationSeconds: given, extendExpiration } = access.serviceAccounts
  if (endpoint === undefined) return undefined
  const [{ openExternalSigner }, { SignerMetrics }] = await Promise.all([
    import('../auth/authn/service-account/external/external-signer.ts'),
    import('../auth/authn/service-account/external/metrics.ts'),
  ])
  const metrics = new SignerMetrics()
  const signer = await openExternalSigner({ endpoint, release: release.emulatedVersion, metrics, clock, log })
  const most = signer.maxExpirationSeconds
  if (given > most) {
    signer.close()
    throw new Error(
      `service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ${secondsText(given)} > ${secondsText(most)}`,
    )
  }
  const maxExpirationSeconds = given === 0 ? most : given
  if (extendExpiration) warnOf(maxExpirationSeconds, log)
  return { signer, metrics: metrics.families, maxExpirationSeconds, maxExtendedSeconds: Math.min(most, YEAR_SECONDS) }
}

/** Warnings of kube-apiserver if the signer's maximum lifetime is shorter than what extended tokens need. */
function warnOf(seconds: number, log: Logger): void {
  const shown = secondsText(seconds)
  if (seconds < KUBELET_SECONDS)
    log.warn(
      `service-account-extend-token-expiration is true, in order to correctly trigger safe transition logic, token lifetime supported by external-jwt-signer must be longer than ${KUBELET_SECONDS} seconds (currently ${shown})`,
    )
  if (seconds < YEAR_SECONDS)
    log.warn(
      `service-account-extend-token-expiration is true, tokens validity will be caped at the smaller of ${YEAR_SECONDS} seconds and maximum token lifetime supported by external-jwt-signer (${shown})`,
    )
}

const secondsText = (seconds: number): string => formatDuration(BigInt(Math.round(seconds)) * 1_000_000_000n)
