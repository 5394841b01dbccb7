import type { KubeObject } from '../../api/meta/object.ts'
import type { RequestCredentials } from '../../auth/authn/authenticator.ts'
import { serviceAccountTokens, type TokenResource } from '../../auth/authn/service-account/authenticator.ts'
import { signWith } from '../../auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey, type SigningKey } from '../../auth/authn/service-account/keys.ts'
import { legacyTokens } from '../../auth/authn/service-account/legacy.ts'
import { bearerAuthenticator, firstToken } from '../../auth/authn/token.ts'
import type { NodeGraph } from '../../auth/authz/node/graph.ts'
import type { RuleIndex } from '../../auth/authz/rbac/rule-index.ts'
import type { ResourceAccess } from '../../catalog/resource-access.ts'
import type { AccessGroups } from '../../config/access-config.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { AuthServices } from '../../resources/builtin.ts'
import type { MountIdentity } from '../../server/mounts/mounts.ts'
import { type Auth, lookUp, nodeBindingOf } from '../auth-service.ts'
import { openAuthorization } from '../authorization-service.ts'
import type { WebhooksOptions } from '../authorization-webhooks.ts'

/** Authentication and authorization of a branch. */
export interface BranchAuth {
  /** Modes of the server on the objects of the branch. */
  readonly authorizer: Authorizer
  /** Index of the branch's roles. Undefined without the mode RBAC. */
  readonly rules: RuleIndex | undefined
  /** Graph of the branch's objects. Undefined without the mode Node. */
  readonly nodeGraph: NodeGraph | undefined
  /** Authorizer, tokens and issuer for resources of the branch. */
  readonly services: AuthServices
  /** Tries the branch's own tokens first, then the server's authentication. */
  authenticate(credentials: RequestCredentials): Promise<MountIdentity>
  /** Enables service account tokens. Their accounts are looked up in the branch. */
  connect(access: ResourceAccess): void
  /** Closes the connections to authorization webhooks. */
  close(): Promise<void>
}

/**
 * Creates authentication and authorization of a branch. Users of the server are authenticated as on the server;
 * permissions come from the branch's own objects. The branch signs tokens with a key of its own, so they are valid only
 * there: service accounts of branch and server have the same names and UIDs.
 */
export async function openBranchAuth(config: AccessGroups, server: Auth, parts: Omit<WebhooksOptions, 'gates'>): Promise<BranchAuth> {
  const { authorizer, rules, nodeGraph, close } = await openAuthorization(config, parts)
  const {
    access: { serviceAccounts },
    release: { gates },
  } = config
  let objects: ResourceAccess | undefined
  let made: Promise<SigningKey> | undefined
  const key = (): Promise<SigningKey> => {
    made ??= generateSigningKey().then(pem => readSigningKey(pem, 'made'))
    return made
  }
  const keys = async (): Promise<readonly SigningKey[]> => (made === undefined ? [] : [await made])
  const find = (resource: TokenResource, namespace: string, name: string): Promise<KubeObject> => {
    invariant(objects, 'tokens are authenticated after the stores are open')
    return lookUp(objects, resource, namespace, name)
  }
  const tokens = firstToken([
    serviceAccountTokens({
      issuers: serviceAccounts.issuers,
      keys,
      lookUp: async (resource, namespace, name) => (await find(resource, namespace, name)).metadata,
      boundToNodes: nodeBindingOf(gates),
      now: () => parts.clock.now(),
    }),
    legacyTokens({ keys, serverAudiences: serviceAccounts.audiences, ...(serviceAccounts.lookUp && { lookUp: find }) }),
  ])
  const local = bearerAuthenticator(tokens, serviceAccounts.audiences)
  const { issuer } = server.services
  return {
    authorizer,
    rules,
    nodeGraph,
    services: {
      authorizer,
      tokens: firstToken([tokens, server.services.tokens]),
      audiences: serviceAccounts.audiences,
      ...(issuer && { issuer: { ...issuer, sign: signWith(key) } }),
      ...(rules && { rules }),
    },
    async authenticate(credentials) {
      const found = made === undefined ? undefined : await local(credentials)
      return found === undefined || found === 'rejected'
        ? { identity: await server.authenticator(credentials), isLocal: false }
        : { identity: found, isLocal: true }
    },
    connect: access => {
      objects = access
    },
    close,
  }
}
