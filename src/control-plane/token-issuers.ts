import type { Anonymous } from '../auth/authn/authenticator.ts'
import type { AnonymousConfiguration, AuthenticationConfiguration } from '../auth/authn/jwt/configuration.ts'
import type { OidcFlags } from '../auth/authn/jwt/flag-configuration.ts'
import type { JwtService, JwtServiceOptions } from '../auth/authn/jwt/jwt-service.ts'
import type { TokenAuthenticator } from '../auth/authn/token.ts'
import type { TokenCacheMetrics } from '../auth/authn/token-cache-metrics.ts'
import { ReloadMetrics } from '../auth/reload-metrics.ts'
import type { AccessGroups } from '../config/access-config.ts'
import type { AuthenticationConfig } from '../config/authentication-config.ts'
import { readConfigFile, readConfigText } from '../lib/bounded-input.ts'
import type { Clock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import { serverId } from './server-id.ts'

/** Authenticators of JWT issuers, and anonymous access, as configured. */
export interface TokenIssuers {
  /** Empty if no issuer is configured. */
  readonly tokens: readonly TokenAuthenticator[]
  /** Whether anonymous requests are accepted, or the paths for which they are. */
  readonly anonymous: Anonymous
  /** Metrics of JWT authenticators and of the file's reloads. Empty if no issuer is configured. */
  readonly metrics: readonly MetricFamily[]
  /** Stops fetching keys and following the file. */
  close(): Promise<void>
}

/** Dependencies of the JWT authenticators. */
export interface TokenIssuerParts {
  /** Clock by which tokens expire. */
  readonly clock: Clock
  readonly log: Logger
  readonly cacheMetrics: TokenCacheMetrics
  /** Optional. Connections to issuers. Without it they are dialled directly. */
  readonly egress?: Egress | undefined
}

/** Interval between checks of the file's modification time, in milliseconds. */
const LOOK_MS = 1_000
/** Time for the issuers of a changed file to become ready, in milliseconds: that of kube-apiserver. */
const READY_MS = 60_000

/**
 * Reads the issuers from the file or the flags, and starts fetching their keys. The JWT modules are loaded only if an
 * issuer is configured. Throws an Error in kube-apiserver's words.
 */
export async function openTokenIssuers(
  config: AccessGroups,
  { clock, log, cacheMetrics, egress }: TokenIssuerParts,
): Promise<TokenIssuers> {
  const { authentication } = config.access
  const { configFile: file, oidc } = authentication
  const { emulatedVersion: release, gates } = config.release
  if (file === undefined && oidc === undefined)
    return { tokens: [], anonymous: authentication.anonymous, metrics: [], close: async () => {} }
  const { openJwtService } = await import('../auth/authn/jwt/jwt-service.ts')
  const { configuration, bytes } =
    file === undefined ? { configuration: await ofFlags(oidc), bytes: Buffer.alloc(0) } : await ofFile(file, release)
  const anonymous = anonymousOf(configuration.anonymous, authentication, release)
  const server = gates.enabled('APIServerIdentity') ? serverId() : ''
  const options = { ...(await optionsOf(config, { clock, log, egress }, server)), cacheMetrics }
  const reloads = new ReloadMetrics('authentication', 'BETA', server)
  const service = openJwtService(configuration, options)
  const stopped = new AbortController()
  // 1.29 reads the file only at start.
  const isFollowed = isSince(release, '1.30')
  const following =
    file === undefined || !isFollowed ? undefined : followIssuers({ file, bytes, configuration, service, options, reloads }, stopped.signal)
  if (file !== undefined) reloads.configured(bytes)
  return {
    tokens: [service.tokens],
    anonymous,
    metrics: [...service.metrics, ...reloads.families],
    async close() {
      stopped.abort()
      await following
      service.close()
    },
  }
}

/** A configuration file to follow. */
interface Followed {
  readonly file: string
  /** Contents at the start, to which the first look compares. */
  readonly bytes: Buffer
  /** Configuration at the start. Its field `anonymous` must not change. */
  readonly configuration: AuthenticationConfiguration
  /** Receives changed issuers. */
  readonly service: JwtService
  readonly reloads: ReloadMetrics
  /** Options of the service, for the issuers of a changed file. */
  readonly options: JwtServiceOptions
}

/** Follows the file until the signal aborts. The module is loaded only then. */
async function followIssuers({ file, bytes, configuration, service, options, reloads }: Followed, signal: AbortSignal): Promise<void> {
  const { followConfiguration } = await import('../auth/authn/jwt/follow-configuration.ts')
  const { anonymous } = configuration
  await followConfiguration({ ...options, file, bytes, anonymous, service, reloads, intervalMs: LOOK_MS, readyMs: READY_MS }, signal)
}

/** Reads the file. Throws AuthenticationConfigError with the message of the release. */
async function ofFile(
  file: string,
  release: Release,
): Promise<{ readonly configuration: AuthenticationConfiguration; readonly bytes: Buffer }> {
  const { AuthenticationConfigError, parseAuthenticationConfiguration } = await import('../auth/authn/jwt/configuration-file.ts')
  try {
    const bytes = await readConfigFile(file)
    return { configuration: parseAuthenticationConfiguration(bytes, release), bytes }
  } catch (error) {
    const why = errorMessage(error)
    throw new AuthenticationConfigError(
      isSince(release, '1.34') ? `failed to load authentication configuration from file ${JSON.stringify(file)}: ${why}` : why,
    )
  }
}

/** Builds the configuration that the OpenID Connect flags stand for. */
async function ofFlags(oidc: OidcFlags | undefined): Promise<AuthenticationConfiguration> {
  const { flagConfiguration } = await import('../auth/authn/jwt/flag-configuration.ts')
  if (oidc === undefined) return { jwt: [], anonymous: undefined }
  return flagConfiguration(oidc, oidc.caFile === undefined ? '' : await readConfigText(oidc.caFile))
}

/** Anonymous access: the file decides if it has the field, otherwise the flag. Throws if both are set. */
function anonymousOf(
  given: AnonymousConfiguration | undefined,
  { anonymous, isAnonymousGiven }: AuthenticationConfig,
  release: Release,
): Anonymous {
  if (given === undefined) return anonymous
  // The flag is misspelt in upstream's message before 1.34.
  const flag = isSince(release, '1.34') ? '--anonymous-auth' : '--anonynous-auth'
  if (isAnonymousGiven)
    throw Object.assign(
      new Error(`anonymous: Forbidden: ${flag} flag cannot be set when anonymous field is configured in authentication configuration file`),
      {
        code: 'ERR_AUTHENTICATION_CONFIG',
      },
    )
  return given.enabled && given.conditions.length > 0 ? new Set(given.conditions.map(({ path }) => path)) : given.enabled
}

/** Returns options that depend on the release, its gates and the flags. */
async function optionsOf(
  { access, release: { gates, emulatedVersion: release } }: AccessGroups,
  { clock, log, egress }: Omit<TokenIssuerParts, 'cacheMetrics'>,
  server: string,
): Promise<Omit<JwtServiceOptions, 'cacheMetrics'>> {
  const { expressionCompiler } = await import('../auth/authn/jwt/expressions.ts')
  const { issuerClient, issuerDial } = await import('../auth/authn/jwt/issuer-client.ts')
  const { JwtMetrics } = await import('../auth/authn/jwt/metrics.ts')
  const { SIGNING_ALGORITHMS } = await import('../auth/authn/jwt/signing-algorithms.ts')
  return {
    release,
    algorithms: access.authentication.oidc?.signingAlgorithms ?? (isSince(release, '1.30') ? SIGNING_ALGORITHMS : ['RS256']),
    now: () => clock.now(),
    log,
    metrics: new JwtMetrics(server),
    serverAudiences: access.serviceAccounts.audiences,
    clientFor: ({ certificateAuthority, egressSelectorType }, signal) =>
      issuerClient(certificateAuthority, signal, issuerDial(egressSelectorType, egress)),
    observeKeys: gates.enabled('StructuredAuthenticationConfigurationJWKSMetrics'),
    rules: {
      release,
      structured: gates.enabled('StructuredAuthenticationConfiguration'),
      anonymousEndpoints: gates.enabled('AnonymousAuthConfigurableEndpoints'),
      egressSelector: gates.enabled('StructuredAuthenticationConfigurationEgressSelector'),
      disallowedIssuers: access.serviceAccounts.issuers,
      compiler: expressionCompiler(),
    },
  }
}
