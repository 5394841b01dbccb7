import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Authenticator, firstOf } from '../auth/authn/authenticator.ts'
import { bootstrapTokens } from '../auth/authn/bootstrap-token.ts'
import { type NodeBinding, serviceAccountTokens, type TokenResource } from '../auth/authn/service-account/authenticator.ts'
import type { ServiceAccountClaims } from '../auth/authn/service-account/claims.ts'
import { type IssuerDocuments, issuerDocuments, KEY_SET_PATH } from '../auth/authn/service-account/discovery.ts'
import { signClaims, type TokenIssuer } from '../auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey, readVerificationKeys, type SigningKey, type VerificationKey } from '../auth/authn/service-account/keys.ts'
import { type LegacyClaims, legacyTokens } from '../auth/authn/service-account/legacy.ts'
import type { KeysOf } from '../auth/authn/service-account/verify.ts'
import { bearerAuthenticator, firstToken, type TokenAuthenticator } from '../auth/authn/token.ts'
import { TokenCacheMetrics } from '../auth/authn/token-cache-metrics.ts'
import { fileTokens, parseTokenFile } from '../auth/authn/token-file.ts'
import type { NodeGraph } from '../auth/authz/node/graph.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { createCertificateExpirations } from '../auth/metrics.ts'
import { getKind } from '../catalog/define.ts'
import type { ResourceAccess } from '../catalog/definition.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { Config } from '../config/config.ts'
import { contentOf } from '../config/flag-content.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import { systemClock, type TimerClock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import { invariant } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import { keepPrivate, makePrivateDirectory } from '../lib/private-file.ts'
import type { Features } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { User } from '../meta/context.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { AuthServices } from '../resources/builtin.ts'
import { SECRETS } from '../resources/kinds.ts'
import type { Authorities } from '../server/tls/authorities.ts'
import type { AgreedValues } from '../storage/agreed-values.ts'
import { openAuthorization } from './authorization-service.ts'
import { BelievedAuthorities, certificateAuthenticators, fieldsOfFrontProxies } from './believed-authorities.ts'
import { lifetimesOf, openExternalSignerService } from './external-signer-service.ts'
import type { Service } from './service.ts'
import { openTokenIssuers } from './token-issuers.ts'
import { openTokenWebhook } from './token-webhook-service.ts'

/** Authentication and authorization as the configuration has them. */
export interface Auth extends Service {
  readonly authenticator: Authenticator
  /** Fields that nobody is to see once it is known for whom a request is, by their names in lower case. */
  readonly isHidden: ((field: string) => boolean) | undefined
  readonly authorizer: Authorizer
  /** Where a mode is RBAC: to be kept as the roles and bindings are. */
  readonly rules: RuleIndex | undefined
  /** Where a mode is Node: to be kept as pods and volumes are. */
  readonly nodeGraph: NodeGraph | undefined
  /** What kinds need of both. */
  readonly services: AuthServices
  /** `address`: host and port by which others reach the server. */
  documents(address: string): Promise<IssuerDocuments | undefined>
  /** The CAs whose client certificates are believed have changed: those of open connections are looked at again. */
  believe(authorities: Authorities): void
  /** Whose certificates are believed now, as others may learn. */
  trust(): ClusterTrust
  /** Tokens of service accounts are good from then on: whether what they name is still there is looked up here. */
  connect(access: ResourceAccess): void
  /** Stops what goes on beside requests. */
  close(): Promise<void>
}

/** What the release does with tokens of service accounts that are bound to nodes. */
export function nodeBindingOf(features: Features): NodeBinding {
  if (!isSince(features.release, '1.29')) return 'ignored'
  return features.enabled('ServiceAccountTokenNodeBindingValidation') ? 'checked' : 'refused'
}

/** What may be there before. */
export interface AuthParts {
  /** Where other servers may share the store, and with it the key that signs tokens. */
  readonly agreed?: AgreedValues | undefined
  /** Of webhooks. */
  readonly certificates?: CertificateMetrics | undefined
  readonly egress?: Egress | undefined
}

/**
 * Reads the files that the configuration names, and makes the key that signs tokens where there is none.
 * Throws an Error that names the file.
 */
export async function openAuth(config: Config, clock: TimerClock, log: Logger, { agreed, certificates, egress }: AuthParts = {}): Promise<Auth> {
  const { serviceAccounts } = config
  const expirations = createCertificateExpirations()
  const cacheMetrics = new TokenCacheMetrics()
  const [others, webhook, authorization, external, given, users] = await Promise.all([
    openTokenIssuers(config, { clock, log, cacheMetrics, egress }),
    openTokenWebhook(config, { clock, log, cacheMetrics, certificates, dial: egress?.controlplane }),
    openAuthorization(config, { clock, log, certificates, dial: egress?.controlplane }),
    openExternalSignerService(config, clock, log),
    verificationKeysOf(serviceAccounts.keyFiles),
    fileUsersOf(config),
  ])
  const { authorizer, rules, nodeGraph } = authorization
  const { sign, keys } = external ? external.signer : await keysOf(config, given, agreed)
  let objects: ResourceAccess | undefined
  const believed = new BelievedAuthorities(config.requestHeader)
  const find = (resource: TokenResource, namespace: string, name: string): Promise<KubeObject> => {
    invariant(objects, 'tokens are looked at before there is a store')
    return lookUp(objects, resource, namespace, name)
  }
  const tokens: TokenAuthenticator = firstToken([
    ...(users ? [fileTokens(users, serviceAccounts.audiences)] : []),
    serviceAccountTokens({
      issuers: serviceAccounts.issuers,
      keys,
      lookUp: async (resource, namespace, name) => (await find(resource, namespace, name)).metadata,
      boundToNodes: nodeBindingOf(config.gates),
      now: () => clock.now(),
    }),
    legacyTokens({ keys, serverAudiences: serviceAccounts.audiences, ...(serviceAccounts.lookUp && { lookUp: find }) }),
    ...(config.bootstrapTokens ? [bootstrapTokensOf(serviceAccounts.audiences, clock, log, () => objects)] : []),
    // Behind those that this server checks by itself: others may ask their issuers.
    ...others.tokens,
    ...webhook.tokens,
  ])
  const issuer: TokenIssuer = { ...issuerOf(config), ...lifetimesOf(external, config), sign }
  return {
    authenticator: firstOf(
      [
        ...certificateAuthenticators(config, believed, () => systemClock.now(), expirations.child()),
        bearerAuthenticator(tokens, serviceAccounts.audiences, why => log.debug(1, 'unable to authenticate the request', { why })),
      ],
      others.anonymous,
    ),
    isHidden: fieldsOfFrontProxies(config),
    authorizer,
    rules,
    nodeGraph,
    metrics: [expirations, ...cacheMetrics.families, ...(external?.metrics ?? []), ...authorization.metrics, ...others.metrics],
    services: { authorizer, tokens, audiences: serviceAccounts.audiences, issuer, ...(rules && { rules }) },
    documents: async address =>
      issuerDocuments(issuer.name, serviceAccounts.keySetUrl ?? `https://${address}${KEY_SET_PATH}`, await keys(), external?.signer.maxAgeSeconds()),
    believe: authorities => believed.change(authorities),
    trust: () => believed.trust(),
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

/** Of what signs tokens what the configuration says. */
function issuerOf({ serviceAccounts: { issuers, audiences, extendExpiration } }: Config): Pick<TokenIssuer, 'name' | 'serverAudiences' | 'extendExpiration'> {
  const [name = ''] = issuers
  return { name, serverAudiences: audiences, extendExpiration }
}

interface AccountKeys {
  sign(claims: ServiceAccountClaims | LegacyClaims): Promise<string>
  /** By which tokens may be signed. */
  readonly keys: KeysOf
}

async function keysOf(config: Config, given: readonly VerificationKey[], agreed: AgreedValues | undefined): Promise<AccountKeys> {
  const { signingKeyFile } = config.serviceAccounts
  const signing = signingKeyFile === undefined ? onceAsked(() => signingKeyOf(config, agreed)) : await givenKey(signingKeyFile)
  const keys = onceAsked(async () => {
    const own = await signing()
    return [...given.filter(({ id }) => id !== own.id), own]
  })
  return { sign: async claims => signClaims(await signing(), claims), keys }
}

/** Tokens by which nodes join. `objects`: undefined until there is a store. */
const bootstrapTokensOf = (serverAudiences: readonly string[], clock: TimerClock, log: Logger, objects: () => ResourceAccess | undefined): TokenAuthenticator =>
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

/** The result of the work, which is done when it is asked for the first time, and again after a failure. */
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

/** The key of `--service-account-signing-key-file`. Throws an Error that names the file. */
async function givenKey(file: string): Promise<() => Promise<SigningKey>> {
  const key = await contentOf([], async () => readSigningKey(await readFile(file, 'utf8'), file))
  return async () => key
}

/**
 * What was made once is kept: on a store that servers share there, where the first that needs one brings that of its file. Making it takes longer than all else at a first start, so it
 * is made when there is something to sign.
 */
async function signingKeyOf({ certDir }: Config, agreed: AgreedValues | undefined): Promise<SigningKey> {
  const agreedOn = async (kept?: string): Promise<string> => {
    const propose = async (): Promise<string> => kept ?? generateSigningKey()
    return agreed ? agreed.agree('service-account-key', propose) : propose()
  }
  if (certDir === undefined) return readSigningKey(await agreedOn(), 'made')
  const file = join(certDir, 'sa.key')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (agreed) return readSigningKey(await agreedOn(kept), file)
  if (kept !== undefined) return readSigningKey(kept, file)
  makePrivateDirectory(certDir)
  // Of several processes that make one, all take that which was there first.
  return readSigningKey(await keepPrivate(file, await generateSigningKey()), file)
}

const verificationKeysOf = (files: readonly string[]): Promise<VerificationKey[]> =>
  contentOf(['service-account-key-file'], async () =>
    (await Promise.all(files.map(async file => readVerificationKeys(await readFile(file, 'utf8'), file)))).flat(),
  )

/** Undefined without the flag. */
async function fileUsersOf({ tokenAuthFile: file }: Config): Promise<ReadonlyMap<string, User> | undefined> {
  return file === undefined ? undefined : contentOf(['token-auth-file'], async () => parseTokenFile(await readFile(file, 'utf8'), file))
}

/** From the watch cache; what is not there is looked up in the store, as it may be new. */
export async function lookUp(access: ResourceAccess, resource: TokenResource, namespace: string, name: string): Promise<KubeObject> {
  const id = { group: '', resource }
  try {
    return await access.get(id, namespace, name, { resourceVersion: '0' })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
    return access.get(id, namespace, name)
  }
}
