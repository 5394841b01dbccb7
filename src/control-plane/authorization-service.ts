import { load as parseYaml } from 'js-yaml'
import { type AbacPolicy, abacAuthorizer, parsePolicies } from '../auth/authz/abac.ts'
import { alwaysAllow, alwaysDeny, basicUser, joinAuthorizers, NO_RULES, privileged, publicInformation } from '../auth/authz/authorizers.ts'
import { type AuthorizerEntry, nameOfMode, type PlainMode, type WebhookSettings } from '../auth/authz/configuration/configuration.ts'
import { NodeGraph } from '../auth/authz/node/graph.ts'
import { rbacAuthorizer } from '../auth/authz/rbac/authorizer.ts'
import { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { parseRules, rulesAuthorizer } from '../auth/authz/rules.ts'
import { countedDecisions, createDecisions } from '../auth/metrics.ts'
import type { AccessGroups } from '../config/access-config.ts'
import type { AuthorizationConfig } from '../config/authorization-config.ts'
import { contentOf } from '../config/flag-content.ts'
import { readConfigText } from '../lib/bounded-input.ts'
import { invariant } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { WebhooksOptions } from './authorization-webhooks.ts'
import { nodeAuthorizerOf } from './node-service.ts'

/** Authorization, as configured. */
export interface Authorization {
  readonly authorizer: Authorizer
  /** Index for RBAC. Its owner keeps it in sync with roles and bindings. Undefined if RBAC is off. */
  readonly rules: RuleIndex | undefined
  /** Graph for the Node authorizer. Its owner keeps it in sync with pods and volumes. Undefined if the mode is off. */
  readonly nodeGraph: NodeGraph | undefined
  readonly metrics: readonly MetricFamily[]
  /** Stops following the file and closes connections to webhooks. */
  close(): Promise<void>
}

/** Entry of the authorizer chain: from a configuration file, or Binnacle's own mode Rules. */
type ChainEntry = AuthorizerEntry | { readonly type: 'Rules'; readonly name: string }

/** Upstream's timeout for the webhook that flags configure. */
const WEBHOOK_TIMEOUT_MS = 30_000

/** Authorizers that are kept when the file changes. */
type Built = Readonly<Partial<Record<PlainMode | 'Rules', Authorizer>>>

/**
 * Reads the configured files. Modules for webhooks and the configuration file are loaded only if configured. Throws an
 * Error with a message for the user.
 */
export async function openAuthorization(
  { access, release: { gates } }: AccessGroups,
  parts: Omit<WebhooksOptions, 'gates'>,
): Promise<Authorization> {
  const { log } = parts
  const { authorization } = access
  const { configFile: file, webhook } = authorization
  const webhooks =
    file === undefined && webhook === undefined
      ? undefined
      : new (await import('./authorization-webhooks.ts')).Webhooks({ ...parts, gates })
  const read = file === undefined ? undefined : await webhooks?.read(file)
  const entries = read?.entries ?? modeEntries(authorization)
  const decisions = createDecisions()
  const rules = entries.some(({ type }) => type === 'RBAC') ? new RuleIndex() : undefined
  const nodeGraph = entries.some(({ type }) => type === 'Node') ? new NodeGraph() : undefined
  const built: Built = {
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    ...(nodeGraph && { Node: nodeAuthorizerOf(nodeGraph, gates) }),
    ...(rules && { RBAC: rbacAuthorizer(rules) }),
    ...(await ownRules(authorization)),
    ...(entries.some(({ type }) => type === 'ABAC') && { ABAC: abacAuthorizer(await policiesOf(authorization, log)) }),
  }
  const chainOf = async (chain: readonly ChainEntry[]): Promise<Authorizer> => {
    const asked = await webhooks?.open(chain)
    const authorizers = chain.map(entry => {
      const authorizer = entry.type === 'Webhook' ? asked?.get(entry.name) : built[entry.type]
      if (authorizer === undefined) throw absent(entry.type)
      return countedDecisions(entry, authorizer, decisions)
    })
    // RBAC bindings and webhooks decide on health and version endpoints as well, as in kube-apiserver. Without either,
    // built-in rules allow them.
    const isWhole = webhooks !== undefined || rules !== undefined
    return joinAuthorizers(
      isWhole ? [{ authorize: privileged.authorize }, ...authorizers] : [privileged, publicInformation, ...authorizers],
    )
  }
  let current = await chainOf(entries)
  const takeUp = async (changed: readonly ChainEntry[]): Promise<void> => {
    current = await chainOf(changed)
  }
  const stopped = new AbortController()
  const following = read && webhooks?.follow(read, takeUp, stopped.signal)
  return {
    authorizer: {
      authorize: (user, request, signal) => current.authorize(user, request, signal),
      rulesFor: (user, namespace) => current.rulesFor?.(user, namespace) ?? NO_RULES,
    },
    rules,
    nodeGraph,
    metrics: [decisions, ...(webhooks?.metrics ?? [])],
    async close() {
      stopped.abort()
      await following
      webhooks?.close()
    },
  }
}

/** Error for a mode that a changed file adds. As upstream, only webhooks can be added without a restart. */
const absent = (type: string): Error =>
  Object.assign(new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`), {
    code: 'ERR_AUTHORIZATION_CONFIG',
  })

/** Reads the file of `--authorization-policy-file`. Throws an Error that names the file and the line. */
async function policiesOf({ policyFile: file = '' }: AuthorizationConfig, log: Logger): Promise<AbacPolicy[]> {
  const warn = (): void =>
    log.warn(`Policy file ${file} contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.`)
  return contentOf(['authorization-policy-file'], async () => parsePolicies(await readConfigText(file), file, warn))
}

async function ownRules({ rulesFile: file, modes }: AuthorizationConfig): Promise<Built> {
  if (!modes.includes('Rules')) return {}
  const rules =
    file === undefined ? [] : await contentOf(['authorization-rules-file'], async () => parseRules(parseYaml(await readConfigText(file))))
  return { Rules: joinAuthorizers([basicUser, rulesAuthorizer(rules)]) }
}

/** Converts the flags to the entries of an equivalent configuration file. */
const modeEntries = ({ modes, webhook: given }: AuthorizationConfig): readonly ChainEntry[] =>
  modes.map(mode => {
    if (mode !== 'Webhook') return { type: mode, name: nameOfMode(mode) }
    invariant(given, 'the mode Webhook has a kubeconfig')
    const webhook: WebhookSettings = { ...given, timeoutMs: WEBHOOK_TIMEOUT_MS, onFailure: 'no opinion', expressions: [] }
    return { type: 'Webhook', name: 'default', webhook }
  })
