import { readFile } from 'node:fs/promises'
import { load as parseYaml } from 'js-yaml'
import { type AbacPolicy, abacAuthorizer, parsePolicies } from '../auth/authz/abac.ts'
import { alwaysAllow, alwaysDeny, basicUser, NO_RULES, privileged, publicInformation, union } from '../auth/authz/authorizers.ts'
import { type AuthorizerEntry, nameOfMode, type PlainMode, type WebhookSettings } from '../auth/authz/configuration/configuration.ts'
import { NodeGraph } from '../auth/authz/node/graph.ts'
import { rbacAuthorizer } from '../auth/authz/rbac/authorizer.ts'
import { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { parseRules, rulesAuthorizer } from '../auth/authz/rules.ts'
import { countedDecisions, createDecisions } from '../auth/metrics.ts'
import type { Config } from '../config/config.ts'
import { contentOf } from '../config/flag-content.ts'
import { invariant } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { WebhooksOptions } from './authorization-webhooks.ts'
import { nodeAuthorizerOf } from './node-service.ts'

/** Who decides what users may do, as the configuration has it. */
export interface Authorization {
  readonly authorizer: Authorizer
  /** Where a mode is RBAC: to be kept as the roles and bindings are. */
  readonly rules: RuleIndex | undefined
  /** Where a mode is Node: to be kept as pods and volumes are. */
  readonly nodeGraph: NodeGraph | undefined
  readonly metrics: readonly MetricFamily[]
  /** Stops looking at the file, and ends connections to webhooks. */
  close(): Promise<void>
}

/** One of the chain: of a configuration file, or our own mode. */
type Entry = AuthorizerEntry | { readonly type: 'Rules'; readonly name: string }

/** What upstream gives the webhook of the flags. */
const WEBHOOK_TIMEOUT_MS = 30_000

/** What stays as it is when a file changes. */
type Built = Readonly<Partial<Record<PlainMode | 'Rules', Authorizer>>>

/**
 * Reads the files that the configuration names. What asks webhooks, and what reads a configuration file, is loaded only where there is one. Throws an Error for the user.
 */
export async function openAuthorization(config: Config, parts: Omit<WebhooksOptions, 'gates'>): Promise<Authorization> {
  const { log } = parts
  const { authorizationConfigFile: file, authorizationWebhook, gates } = config
  const webhooks =
    file === undefined && authorizationWebhook === undefined ? undefined : new (await import('./authorization-webhooks.ts')).Webhooks({ ...parts, gates })
  const read = file === undefined ? undefined : await webhooks?.read(file)
  const entries = read?.entries ?? entriesOf(config)
  const decisions = createDecisions()
  const rules = entries.some(({ type }) => type === 'RBAC') ? new RuleIndex() : undefined
  const nodeGraph = entries.some(({ type }) => type === 'Node') ? new NodeGraph() : undefined
  const built: Built = {
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    ...(nodeGraph && { Node: nodeAuthorizerOf(nodeGraph, gates) }),
    ...(rules && { RBAC: rbacAuthorizer(rules) }),
    ...(await ownRules(config)),
    ...(entries.some(({ type }) => type === 'ABAC') && { ABAC: abacAuthorizer(await policiesOf(config, log)) }),
  }
  const chainOf = async (chain: readonly Entry[]): Promise<Authorizer> => {
    const asked = await webhooks?.open(chain)
    const authorizers = chain.map(entry => {
      const authorizer = entry.type === 'Webhook' ? asked?.get(entry.name) : built[entry.type]
      if (authorizer === undefined) throw absent(entry.type)
      return countedDecisions(entry, authorizer, decisions)
    })
    // Bindings say who may read health and version there, and list what masters may do; others are asked as kube-apiserver asks them.
    const isWhole = webhooks !== undefined || rules !== undefined
    return union(isWhole ? [{ authorize: privileged.authorize }, ...authorizers] : [privileged, publicInformation, ...authorizers])
  }
  let current = await chainOf(entries)
  const takeUp = async (changed: readonly Entry[]): Promise<void> => {
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

/** A mode that a changed file has and the first had not. */
const absent = (type: string): Error =>
  Object.assign(new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`), { code: 'ERR_AUTHORIZATION_CONFIG' })

/** Throws an Error that names the file and the line. */
async function policiesOf({ authorizationPolicyFile: file = '' }: Config, log: Logger): Promise<AbacPolicy[]> {
  const warn = (): void => log.warn(`Policy file ${file} contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.`)
  return contentOf(['authorization-policy-file'], async () => parsePolicies(await readFile(file, 'utf8'), file, warn))
}

async function ownRules({ authorizationRulesFile: file, authorizationModes }: Config): Promise<Built> {
  if (!authorizationModes.includes('Rules')) return {}
  const rules = file === undefined ? [] : await contentOf(['authorization-rules-file'], async () => parseRules(parseYaml(await readFile(file, 'utf8'))))
  return { Rules: union([basicUser, rulesAuthorizer(rules)]) }
}

/** As the file would have what the flags say. */
const entriesOf = ({ authorizationModes, authorizationWebhook }: Config): readonly Entry[] =>
  authorizationModes.map(mode => {
    if (mode !== 'Webhook') return { type: mode, name: nameOfMode(mode) }
    invariant(authorizationWebhook, 'the mode Webhook has a kubeconfig')
    const webhook: WebhookSettings = { ...authorizationWebhook, timeoutMs: WEBHOOK_TIMEOUT_MS, onFailure: 'no opinion', expressions: [] }
    return { type: 'Webhook', name: 'default', webhook }
  })
