import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileError } from '../../../clients/file-error.ts'
import { formatDuration, parseDuration } from '../../../lib/duration.ts'
import { duplicate, type FieldError, invalid, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
  WebhookConnectionInfo,
} from './authorization-configuration.types.ts'
import type { AuthorizerEntry, PlainMode, WebhookSettings } from './configuration.ts'
import { type ConditionRules, compileConditions } from './match-conditions.ts'

const PLAIN_MODES: readonly PlainMode[] = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC']
const KNOWN_TYPES = [...PLAIN_MODES, 'Webhook']
const isPlainMode = (type: string): type is PlainMode => PLAIN_MODES.some(mode => mode === type)
const MAX_TIMEOUT = 30_000_000_000n
const DEFAULT_AUTHORIZED = 300_000_000_000n
const DEFAULT_UNAUTHORIZED = 30_000_000_000n

/** Parsed configuration and its errors, in upstream's order and words. `entries` is complete if there are no errors. */
export interface Validated {
  readonly entries: readonly AuthorizerEntry[]
  readonly errors: readonly FieldError[]
}

/** Validates `--authorization-config`. @param rules features that match conditions may use. */
export function validateConfiguration({ authorizers = [] }: AuthorizationConfiguration, rules: ConditionRules): Validated {
  const errors: FieldError[] = []
  if (authorizers.length === 0) errors.push(required(fieldPath('authorizers'), 'at least one authorization mode must be defined'))
  const entries: AuthorizerEntry[] = []
  const seen = { types: new Set<string>(), names: new Set<string>() }
  for (const [i, authorizer] of authorizers.entries()) {
    const path = fieldPath('authorizers').index(i)
    const type = authorizer.type ?? ''
    const fault = typeFault(type, path.child('type'), seen.types)
    if (fault) {
      errors.push(fault)
      continue
    }
    seen.types.add(type)
    errors.push(...authorizerNameErrors(authorizer.name ?? '', path.child('name'), seen.names))
    seen.names.add(authorizer.name ?? '')
    const read = readAuthorizer(authorizer, path, rules)
    errors.push(...read.errors)
    entries.push(...read.entries)
  }
  return { entries, errors }
}

function typeFault(type: string, path: FieldPath, seen: ReadonlySet<string>): FieldError | undefined {
  if (type === '') return required(path)
  if (!KNOWN_TYPES.includes(type)) return notSupported(path, type, KNOWN_TYPES)
  return seen.has(type) && type !== 'Webhook' ? duplicate(path, type) : undefined
}

function authorizerNameErrors(name: string, path: FieldPath, seen: ReadonlySet<string>): FieldError[] {
  if (name === '') return [required(path)]
  if (seen.has(name)) return [duplicate(path, name)]
  const faults = isDns1123Subdomain(name)
  return faults.length === 0 ? [] : [invalid(path, name, `authorizer name is invalid: ${faults.join(', ')}`)]
}

/** Validates one entry of the chain. */
function readAuthorizer({ type = '', name = '', webhook }: AuthorizerConfiguration, path: FieldPath, rules: ConditionRules): Validated {
  if (isPlainMode(type))
    return {
      entries: [{ type, name }],
      errors: webhook ? [invalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook')] : [],
    }
  if (!webhook) return { entries: [], errors: [required(path.child('webhook'), 'required when type=Webhook')] }
  const { settings, errors } = readWebhook(webhook, path, rules)
  return { entries: settings ? [{ type: 'Webhook', name, webhook: settings }] : [], errors }
}

const nanoseconds = (text: string | undefined): bigint => (text === undefined || text === '' ? 0n : parseDuration(text))
const nanosToMilliseconds = (nanos: bigint): number => Number(nanos) / 1e6

/** Parses a webhook. As upstream, error paths lack the member `webhook`. */
function readWebhook(
  given: WebhookConfiguration,
  path: FieldPath,
  rules: ConditionRules,
): { readonly settings: WebhookSettings | undefined; readonly errors: FieldError[] } {
  const timeout = nanoseconds(given.timeout)
  const authorized = nanoseconds(given.authorizedTTL) || DEFAULT_AUTHORIZED
  const unauthorized = nanoseconds(given.unauthorizedTTL) || DEFAULT_UNAUTHORIZED
  const { subjectAccessReviewVersion: version, failurePolicy, connectionInfo, matchConditions = [] } = given
  const conditions = compileConditions(matchConditions, path.child('matchConditions'), rules)
  const errors = [
    ...timeoutErrors(timeout, path.child('timeout')),
    ...ttlErrors(authorized, path.child('authorizedTTL')),
    ...ttlErrors(unauthorized, path.child('unauthorizedTTL')),
    ...choiceErrors(version, path.child('subjectAccessReviewVersion'), ['v1', 'v1beta1']),
    ...conditionVersionErrors(given, path.child('matchConditionSubjectAccessReviewVersion')),
    ...choiceErrors(failurePolicy, path.child('failurePolicy'), ['NoOpinion', 'Deny']),
    ...connectionErrors(connectionInfo, path.child('connectionInfo')),
    ...conditions.errors,
  ]
  if (errors.length > 0) return { settings: undefined, errors }
  const settings: WebhookSettings = {
    kubeconfigFile: connectionInfo.kubeConfigFile ?? '',
    timeoutMs: nanosToMilliseconds(timeout),
    authorizedTtlMs: given.cacheAuthorizedRequests === false ? 0 : nanosToMilliseconds(authorized),
    unauthorizedTtlMs: given.cacheUnauthorizedRequests === false ? 0 : nanosToMilliseconds(unauthorized),
    version: version === 'v1' ? 'v1' : 'v1beta1',
    onFailure: failurePolicy === 'Deny' ? 'deny' : 'no opinion',
    ...(conditions.matcher && { matcher: conditions.matcher }),
    expressions: matchConditions.map(({ expression = '' }) => expression),
  }
  return { settings, errors }
}

function timeoutErrors(timeout: bigint, path: FieldPath): FieldError[] {
  if (timeout === 0n) return [required(path)]
  return timeout > MAX_TIMEOUT || timeout < 0n ? [invalid(path, formatDuration(timeout), 'must be > 0s and <= 30s')] : []
}

const ttlErrors = (ttl: bigint, path: FieldPath): FieldError[] => (ttl < 0n ? [invalid(path, formatDuration(ttl), 'must be > 0s')] : [])

function choiceErrors(value: string | undefined, path: FieldPath, choices: readonly string[]): FieldError[] {
  if (!value) return [required(path)]
  return choices.includes(value) ? [] : [notSupported(path, value, choices)]
}

function conditionVersionErrors(
  { matchConditionSubjectAccessReviewVersion: version, matchConditions = [] }: WebhookConfiguration,
  path: FieldPath,
): FieldError[] {
  if (!version) return matchConditions.length > 0 ? [required(path, 'required if match conditions are specified')] : []
  return version === 'v1' ? [] : [notSupported(path, version, ['v1'])]
}

/** Errors of the connection. InClusterConfig is valid upstream, but not implemented here. */
function connectionErrors(connection: WebhookConnectionInfo, path: FieldPath): FieldError[] {
  const { type = '', kubeConfigFile: file } = connection
  const at = path.child('kubeConfigFile')
  switch (type) {
    case '':
      return [required(path.child('type'))]
    case 'InClusterConfig':
      if (file !== undefined) return [invalid(at, file, 'can only be set when type=KubeConfigFile')]
      return [invalid(path.child('type'), type, 'is not implemented: name a kubeconfig with type=KubeConfigFile')]
    case 'KubeConfigFile':
      return fileErrors(file ?? '', at)
    default: {
      const value = verbatim(
        `apiserver.WebhookConnectionInfo{Type:${JSON.stringify(type)}, KubeConfigFile:(*string)(${file === undefined ? 'nil' : '0x0'})}`,
      )
      return [notSupported(path.child('type'), value, ['InClusterConfig', 'KubeConfigFile'])]
    }
  }
}

/** Errors of a kubeconfig path, which must be an absolute path of a regular file. */
function fileErrors(file: string, path: FieldPath): FieldError[] {
  if (file === '') return [required(path)]
  if (!isAbsolute(file)) return [invalid(path, file, 'must be an absolute path')]
  try {
    return statSync(file).isFile() ? [] : [invalid(path, file, 'must be a regular file')]
  } catch (error) {
    return [invalid(path, file, `error loading file: ${fileError(error, file, 'stat')}`)]
  }
}
