import { join } from 'node:path'
import type { KubeObject } from '../api/meta/object.ts'
import { type Authenticator, authenticatorChain } from '../auth/authn/authenticator.ts'
import { bootstrapTokens } from '../auth/authn/bootstrap-token.ts'
import { type NodeBinding, serviceAccountTokens, type TokenResource } from '../auth/authn/service-account/authenticator.ts'
import { type IssuerDocuments, issuerDocuments, KEY_SET_PATH } from '../auth/authn/service-account/discovery.ts'
import { signWith, type TokenIssuer } from '../auth/authn/service-account/issuer.ts'
import {
  generateSigningKey,
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  type VerificationKey,
} from '../auth/authn/service-account/keys.ts'
import { legacyTokens } from '../auth/authn/service-account/legacy.ts'
import type { KeysOf } from '../auth/authn/service-account/verify.ts'
import { bearerAuthenticator, firstToken, type TokenAuthenticator } from '../auth/authn/token.ts'
import { TokenCacheMetrics } from '../auth/authn/token-cache-metrics.ts'
import { fileTokens, parseTokenFile } from '../auth/authn/token-file.ts'
import type { NodeGraph } from '../auth/authz/node/graph.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { createCertificateExpirations } from '../auth/metrics.ts'
import { getKind } from '../catalog/define.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { AccessConfig, AccessGroups } from '../config/access-config.ts'
import { contentOf } from '../config/flag-content.ts'
import type { LocationConfig } from '../config/place-config.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import { readConfigText } from '../lib/bounded-input.ts'
import { systemClock, type TimerClock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import { invariant } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import { keepPrivate, makePrivateDirectory } from '../lib/private-file.ts'
import type { Features } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { User } from '../meta/context.ts'
import { isStatusError } from '../meta/status.ts'
import type { AuthServices } from '../resources/builtin.ts'
import { SECRETS } from '../resources/kinds.ts'
import type { Authorities } from '../server/tls/authorities.ts'
import type { AgreedValues } from '../storage/agreed-values.ts'
import { openAuthorization } from './authorization-service.ts'
import { lifetimesOf, openExternalSignerService } from './external-signer-service.ts'
import type { Service } from './service.ts'
import { openTokenIssuers } from './token-issuers.ts'
import { openTokenWebhook } from './token-webhook-service.ts'
import { certificateAuthenticators, fieldsOfFrontProxies, TrustedAuthorities } from './trusted-authorities.ts'

/** Authentication and authorization, as configured. */
export interface Auth extends Service {
  readonly authenticator: Authenticator
  /** Reports whether a header is removed once the request is authenticated. Names are in lower case. */
  readonly isHidden: ((field: string) => boolean) | undefined
  readonly authorizer: Authorizer
  /** Index for RBAC. Its owner keeps it in sync with roles and bindings. Undefined if RBAC is off. */
  readonly rules: RuleIndex | undefined
  /** Graph for the Node authorizer. Its owner keeps it in sync with pods and volumes. Undefined if the mode is off. */
  readonly nodeGraph: NodeGraph | undefined
  /** Authentication and authorization for review APIs and token requests. */
  readonly services: AuthServices
  /**
   * Returns the OIDC discovery documents of the service account issuer. @param address host and port at which clients
   * reach the server.
   */
  documents(address: string): Promise<IssuerDocuments | undefined>
  /** Replaces the trusted client CAs. Certificates of open connections are verified again. */
  believe(authorities: Authorities): void
  /** Returns the CAs and headers to publish for extension servers. */
  trust(): ClusterTrust
  /** Enables service account tokens. The objects that tokens refer to are looked up here. */
  connect(access: ResourceAccess): void
  /** Stops background work and closes connections. */
  close(): Promise<void>
}

/** How the release treats service account tokens that are bound to nodes. */
export function nodeBindingOf(features: Features): NodeBinding {
  if (!isSince(features.release, '1.29')) return 'ignored'
  return features.enabled('ServiceAccountTokenNodeBindingValidation') ? 'checked' : 'refused'
}

/** Optional dependencies. */
export interface AuthParts {
  /** Values shared by servers on one store, such as the key that signs tokens. Omitted if the store is not shared. */
  readonly agreed?: AgreedValues | undefined
  /** Observes certificates of webhooks. */
  readonly certificates?: CertificateMetrics | undefined
  readonly egress?: Egress | undefined
}

/** The groups of the configuration that authentication reads. */
interface AuthGroups extends AccessGroups {
  readonly files: Pick<LocationConfig, 'certDir'>
}

/**
 * Reads the configured files. Generates a key to sign tokens if none is configured. Throws an Error that names the
 * file.
 */
export async function openAuth(
  config: AuthGroups,
  clock: TimerClock,
  log: Logger,
  { agreed, certificates, egress }: AuthParts = {},
): Promise<Auth> {
  const { access } = config
  const { serviceAccounts } = access
  const expirations = createCertificateExpirations()
  const cacheMetrics = new TokenCacheMetrics()
  const [others, webhook, authorization, external, given, users] = await Promise.all([
    openTokenIssuers(config, { clock, log, cacheMetrics, egress }),
    openTokenWebhook(access, { clock, log, cacheMetrics, certificates, dial: egress?.controlplane }),
    openAuthorization(config, { clock, log, certificates, dial: egress?.controlplane }),
    openExternalSignerService(config, clock, log),
    verificationKeysOf(serviceAccounts.keyFiles),
    fileUsersOf(access),
  ])
  const { authorizer, rules, nodeGraph } = authorization
  const { sign, keys } = external ? external.signer : await accountKeys(config, given, agreed)
  let objects: ResourceAccess | undefined
  const trusted = new TrustedAuthorities(access.requestHeader)
  const ownTokens = tokensOfServer(config, { users, keys, objects: () => objects, clock, log })
  // The others come last, because they may call other servers.
  const tokens: TokenAuthenticator = firstToken([...ownTokens, ...others.tokens, ...webhook.tokens])
  const issuer: TokenIssuer = { ...issuerOf(access), ...lifetimesOf(external, access), sign }
  return {
    authenticator: authenticatorChain(
      [
        ...certificateAuthenticators(config, trusted, () => systemClock.now(), expirations.child()),
        bearerAuthenticator(tokens, serviceAccounts.audiences, why => log.debug(1, 'unable to authenticate the request', { why })),
      ],
      others.anonymous,
    ),
    isHidden: fieldsOfFrontProxies(access),
    authorizer,
    rules,
    nodeGraph,
    metrics: [expirations, ...cacheMetrics.families, ...(external?.metrics ?? []), ...authorization.metrics, ...others.metrics],
    services: { authorizer, tokens, audiences: serviceAccounts.audiences, issuer, ...(rules && { rules }) },
    documents: async address =>
      issuerDocuments(
        issuer.name,
        serviceAccounts.keySetUrl ?? `https://${address}${KEY_SET_PATH}`,
        await keys(),
        external?.signer.maxAgeSeconds(),
      ),
    believe: authorities => trusted.change(authorities),
    trust: () => trusted.trust(),
    connect: access => {
      objects = access
    },
    close: async () => {
      webhook.close()
      external?.signer.close()
      await Promise.all([others.close(), authorization.close()])
    },
  }
}

interface OwnTokenParts {
  /** Users of `--token-auth-file`. Undefined without the flag. */
  readonly users: ReadonlyMap<string, User> | undefined
  /** Keys that verify tokens of service accounts. */
  readonly keys: KeysOf
  /** Returns the access to the objects that tokens refer to. Undefined until the store is open. */
  objects(): ResourceAccess | undefined
  readonly clock: TimerClock
  readonly log: Logger
}

/**
 * Authenticators of the tokens that this server verifies by itself: those of users in a file, of service accounts, and
 * of nodes that join.
 */
function tokensOfServer({ access, release }: AccessGroups, parts: OwnTokenParts): readonly TokenAuthenticator[] {
  const { audiences } = access.serviceAccounts
  return [
    ...(parts.users ? [fileTokens(parts.users, audiences)] : []),
    ...accountTokens(access.serviceAccounts, nodeBindingOf(release.gates), parts),
    ...(access.bootstrapTokens ? [bootstrapTokensOf(audiences, parts)] : []),
  ]
}

/** Authenticators of service account tokens: of those with a lifetime, and of those in Secrets. */
function accountTokens(
  { issuers, audiences, lookUp: looksUp }: AccessConfig['serviceAccounts'],
  boundToNodes: NodeBinding,
  { keys, objects, clock }: OwnTokenParts,
): readonly TokenAuthenticator[] {
  const find = (resource: TokenResource, namespace: string, name: string): Promise<KubeObject> => {
    const access = objects()
    invariant(access, 'tokens are authenticated after the stores are open')
    return lookUp(access, resource, namespace, name)
  }
  const metadataOf = async (resource: TokenResource, namespace: string, name: string): Promise<KubeObject['metadata']> =>
    (await find(resource, namespace, name)).metadata
  return [
    serviceAccountTokens({ issuers, keys, lookUp: metadataOf, boundToNodes, now: () => clock.now() }),
    legacyTokens({ keys, serverAudiences: audiences, ...(looksUp && { lookUp: find }) }),
  ]
}

/** Issuer settings from the configuration. */
function issuerOf({
  serviceAccounts: { issuers, audiences, extendExpiration },
}: AccessConfig): Pick<TokenIssuer, 'name' | 'serverAudiences' | 'extendExpiration'> {
  const [name = ''] = issuers
  return { name, serverAudiences: audiences, extendExpiration }
}

interface AccountKeys {
  readonly sign: TokenIssuer['sign']
  /** Keys that verify tokens. */
  readonly keys: KeysOf
}

/** Keys that sign and verify service account tokens. The signing key also verifies, in addition to the given ones. */
async function accountKeys(
  { access, files }: AuthGroups,
  given: readonly VerificationKey[],
  agreed: AgreedValues | undefined,
): Promise<AccountKeys> {
  const { signingKeyFile } = access.serviceAccounts
  const signing = signingKeyFile === undefined ? onceAsked(() => signingKeyOf(files, agreed)) : await givenKey(signingKeyFile)
  const keys = onceAsked(async () => {
    const own = await signing()
    return [...given.filter(({ id }) => id !== own.id), own]
  })
  return { sign: signWith(signing), keys }
}

/** Authenticator of bootstrap tokens, with which nodes join. */
const bootstrapTokensOf = (serverAudiences: readonly string[], { objects, clock, log }: OwnTokenParts): TokenAuthenticator =>
  bootstrapTokens({
    serverAudiences,
    now: () => clock.now(),
    refused: why => log.debug(3, why),
    getSecret: async name => {
      const access = objects()
      if (!access) return undefined
      try {
        return await getKind(access, SECRETS, 'kube-system', name, { resourceVersion: '0' })
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error
        return undefined
      }
    },
  })

/** Memoizes the work: it runs on first call, and again after a failure. */
function onceAsked<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** Reads the key of `--service-account-signing-key-file`. Throws an Error that names the file. */
async function givenKey(file: string): Promise<() => Promise<SigningKey>> {
  const key = await contentOf([], async () => readSigningKey(await readConfigText(file), file))
  return async () => key
}

/**
 * Returns the generated signing key and keeps it in the certificate directory. Servers that share a store agree on one
 * key; the first to need it proposes the key of its file. Generating a key takes longer than the rest of a first start,
 * so it is deferred until the first token is signed.
 */
async function signingKeyOf({ certDir }: Pick<LocationConfig, 'certDir'>, agreed: AgreedValues | undefined): Promise<SigningKey> {
  const agreedOn = async (kept?: string): Promise<string> => {
    const propose = async (): Promise<string> => kept ?? generateSigningKey()
    return agreed ? agreed.agree('service-account-key', propose) : propose()
  }
  if (certDir === undefined) return readSigningKey(await agreedOn(), 'made')
  const file = join(certDir, 'sa.key')
  const kept = await readConfigText(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (agreed) return readSigningKey(await agreedOn(kept), file)
  if (kept !== undefined) return readSigningKey(kept, file)
  makePrivateDirectory(certDir)
  // If several processes generate a key at the same time, all use the one that was written first.
  return readSigningKey(await keepPrivate(file, await generateSigningKey()), file)
}

const verificationKeysOf = (files: readonly string[]): Promise<VerificationKey[]> =>
  contentOf(['service-account-key-file'], async () =>
    (await Promise.all(files.map(async file => readVerificationKeys(await readConfigText(file), file)))).flat(),
  )

/** Reads the file of `--token-auth-file`. Undefined without the flag. */
async function fileUsersOf({ tokenAuthFile: file }: AccessConfig): Promise<ReadonlyMap<string, User> | undefined> {
  return file === undefined ? undefined : contentOf(['token-auth-file'], async () => parseTokenFile(await readConfigText(file), file))
}

/** Reads an object from the watch cache, or from the store if the cache lacks it, since it may be new. */
export async function lookUp(access: ResourceAccess, resource: TokenResource, namespace: string, name: string): Promise<KubeObject> {
  const id = { group: '', resource }
  try {
    return await access.get(id, namespace, name, { resourceVersion: '0' })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    return access.get(id, namespace, name)
  }
}
