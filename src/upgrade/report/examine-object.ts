import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import { endOf } from '../../lifecycle/lifecycle.ts'
import { compareReleases, type Release } from '../../lifecycle/release.ts'
import { deepEqual } from '../../meta/equal.ts'
import { DecodeError } from '../../schema/decode.ts'
import { rawJson } from '../../schema/json-text.ts'
import { firstMessages } from '../convert.ts'
import { convertObject } from '../convert-object.ts'
import { decisionsOf, withoutSuccessor } from '../decisions.ts'
import { isNothing, type Judgement, judge, type Refusal } from '../judge.ts'
import { oldReferencesOf } from '../references.ts'
import { type KindName, type Standing, standingIn } from '../versions/old-versions.ts'
import { ReleaseKinds } from '../versions/release-kinds.ts'
import { oldKeysOf } from './annotations.ts'
import type { Finding, FindingLocation, Usage } from './finding.ts'
import { unmatchedRulesOf } from './unmatched-rules.ts'

/** An object from any source. */
export interface ExaminedObject extends KindName {
  readonly value: JsonObject
  /** Label such as `Deployment shop/web`. */
  readonly label: string
  readonly place: FindingLocation
  /** Set if the version is only the one in which a server lists the object. It may have been written in another. */
  readonly isListed?: true
  /**
   * Optional. Versions in which the object was written, according to managed fields and the last applied configuration.
   */
  readonly written?: readonly WrittenAs[]
  /** Optional. Returns the diff of converting the object. Called only if a finding shows it. */
  readonly diff?: () => Promise<string>
}

/** A version in which an object was written, and by which clients. */
export interface WrittenAs extends KindName {
  readonly usages: readonly Usage[]
}

/** The two releases of an upgrade and their kinds. */
export interface Upgrade {
  readonly from: Release
  readonly to: Release
  readonly before: ReleaseKinds
  readonly after: ReleaseKinds
}

/** Oldest release with rules. Earlier releases are treated like it. */
const OLDEST_RULES: Release = '1.24'

const atLeastOldest = (release: Release): Release => (compareReleases(release, OLDEST_RULES) < 0 ? OLDEST_RULES : release)

/** Creates an upgrade with the kinds of both releases. */
export const upgradeOf = (from: Release, to: Release): Upgrade => ({
  from,
  to,
  before: new ReleaseKinds(atLeastOldest(from)),
  after: new ReleaseKinds(atLeastOldest(to)),
})

/** Returns all findings for one object of any kind. */
export async function examineObject(subject: ExaminedObject, upgrade: Upgrade): Promise<Finding[]> {
  const standing = standingIn(upgrade.to, subject)
  return [
    ...(await versionFindings(subject, standing, upgrade)),
    ...(subject.written ?? []).flatMap(written => writtenFindings(subject, written, upgrade)),
    ...keyFindings(subject, upgrade),
    ...referenceFindings(subject, upgrade),
    ...unmatchedRulesOf(subject.value, subject.kind, upgrade.to).map(({ path, message, level, advice }) =>
      finding(subject, 'unmatched-rule', level, `${path}: ${message}`, { advice }),
    ),
    ...(standing === undefined ? [] : await ruleFindings(subject, standing, upgrade)),
  ]
}

const finding = (
  { label, place }: ExaminedObject,
  rule: Finding['rule'],
  level: Finding['level'],
  message: string,
  more: { readonly [K in 'advice' | 'since' | 'usages' | 'diff']?: Finding[K] | undefined } = {},
): Finding => ({
  rule,
  level,
  subject: label,
  place,
  message,
  ...(more.advice !== undefined && { advice: more.advice }),
  ...(more.since !== undefined && { since: more.since }),
  ...(more.usages !== undefined && more.usages.length > 0 && { usages: more.usages }),
  ...(more.diff !== undefined && more.diff !== '' && { diff: more.diff }),
})

/** Reports the version of the object itself. */
async function versionFindings(subject: ExaminedObject, standing: Standing | undefined, { to, after }: Upgrade): Promise<Finding[]> {
  if (standing === undefined || standing.state === 'served') return []
  const { state, life, warning } = standing
  if (state === 'not yet') return [finding(subject, 'missing-version', 'blocking', warning, { since: life.introduced })]
  const found = after.find(subject)
  const successor = found && after.successorOf(found)
  if (subject.isListed && (successor !== undefined || state === 'deprecated')) return []
  const advice = successor
    ? `use ${apiVersionOfVersion(successor)}`
    : state === 'removed'
      ? withoutSuccessor(subject)
      : adviceOf(life.replacement)
  const diff = successor && (await subject.diff?.())
  if (state === 'deprecated') return [finding(subject, 'deprecated-version', 'warning', warning, { advice, since: life.deprecated, diff })]
  const decisions = decisionsOf(subject, subject.value).map(({ path, message }) =>
    finding(subject, 'needs-decision', 'warning', `${path}: ${message}`),
  )
  return [
    finding(subject, 'removed-version', 'blocking', `${subject.apiVersion} ${subject.kind} is not served by ${to}`, {
      advice,
      since: endOf(life),
      diff,
    }),
    ...decisions,
  ]
}

const adviceOf = (replacement: string | undefined): string | undefined => (replacement === undefined ? undefined : `use ${replacement}`)

/** Reports a version in which a client has written the object, and will do so again. */
function writtenFindings(subject: ExaminedObject, { apiVersion, kind, usages }: WrittenAs, { to, after }: Upgrade): Finding[] {
  if (apiVersion === subject.apiVersion && !subject.isListed) return []
  const standing = standingIn(to, { apiVersion, kind })
  if (standing === undefined || (standing.state !== 'removed' && standing.state !== 'deprecated')) return []
  const { state, life, warning } = standing
  const found = after.find({ apiVersion, kind })
  const successor = found && after.successorOf(found)
  const advice = successor ? `use ${apiVersionOfVersion(successor)}` : adviceOf(life.replacement)
  if (state === 'deprecated')
    return [
      finding(subject, 'deprecated-version', 'warning', `written as ${apiVersion}: ${warning}`, { advice, since: life.deprecated, usages }),
    ]
  return [
    finding(subject, 'removed-version', 'blocking', `written as ${apiVersion} ${kind}, which is not served by ${to}`, {
      advice,
      since: endOf(life),
      usages,
    }),
  ]
}

const keyFindings = (subject: ExaminedObject, { to }: Upgrade): Finding[] =>
  oldKeysOf(subject.value, to).map(({ path, key, isIgnored, since, instead }) =>
    // Tolerating a taint that does not exist is harmless.
    finding(
      subject,
      'deprecated-annotation',
      path.includes('tolerations') ? 'note' : 'warning',
      `${path}: ${path.endsWith(']') ? '' : `${key} `}${isIgnored ? `has no effect from ${since} on` : `deprecated since ${since}`}`,
      {
        advice: `use ${instead}`,
        since,
      },
    ),
  )

/**
 * A reference blocks because the controller that reads it fails. Owners and nested objects are read by other means, and
 * weigh less.
 */
function referenceFindings(subject: ExaminedObject, { to }: Upgrade): Finding[] {
  return oldReferencesOf(subject.value, to).map(({ path, apiVersion, kind, standing, isObject }) => {
    const isOwner = path.startsWith('metadata.ownerReferences')
    // A patch has no effect once its target is converted.
    const isPatch = subject.apiVersion.startsWith('kustomize.config.k8s.io/')
    const what = isObject ? 'holds' : 'names'
    return finding(
      subject,
      'removed-reference',
      isOwner ? 'note' : isObject || isPatch ? 'warning' : 'blocking',
      `${path}: ${what} ${apiVersion} ${kind}, which is not served by ${to}`,
      {
        advice: adviceOf(standing.life.replacement),
        since: standing.life.removed,
      },
    )
  })
}

/** Compares defaults, validation, fields and warnings of both releases, each in a version that it serves. */
async function ruleFindings(subject: ExaminedObject, standing: Standing, { before, after, from, to }: Upgrade): Promise<Finding[]> {
  try {
    const now = await judgeIn(before, subject)
    const then = standing.state === 'not yet' ? undefined : await judgeIn(after, subject)
    if (now === undefined || then === undefined) return []
    return [
      ...then.unknown
        .filter(path => !now.unknown.includes(path))
        .map(path =>
          finding(subject, 'removed-field', 'blocking', `${path}: ${to} does not know the field`, {
            advice: 'take it out: kubectl refuses it, and the server drops it',
          }),
        ),
      ...gateFindings(
        subject,
        now.dropped.filter(path => !then.unknown.includes(path)),
        then.dropped,
        { from, to },
      ),
      ...validationFindings(subject, standing, now.errors, then.errors, to),
      ...then.warnings
        .filter(warning => isDeprecation(warning) && !isOldKey(warning))
        .map(warning => finding(subject, 'deprecated-field', 'warning', warning)),
      ...newWarnings(now.warnings, then.warnings).map(warning => finding(subject, 'new-warning', 'note', warning)),
      ...defaultFindings(subject, now, then),
    ]
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return [finding(subject, 'unreadable', 'warning', `is no ${subject.apiVersion} ${subject.kind}: ${error.message}`)]
  }
}

/**
 * Reports fields of the manifest that only one of the releases keeps: their feature gate is on by default in one and
 * off in the other.
 */
function gateFindings(
  subject: ExaminedObject,
  now: readonly string[],
  then: readonly string[],
  { from, to }: Pick<Upgrade, 'from' | 'to'>,
): Finding[] {
  return [
    ...now
      .filter(path => !then.includes(path) && hasMember(subject.value, path))
      .map(path =>
        finding(subject, 'activated-field', 'warning', `${path}: ${from} drops the field, and ${to} keeps it`, {
          advice: 'take it out, unless it is meant to take effect with the next write',
        }),
      ),
    ...then
      .filter(path => !now.includes(path) && hasMember(subject.value, path))
      .map(path =>
        finding(subject, 'dropped-field', 'warning', `${path}: ${to} drops the field, which ${from} keeps`, {
          advice: 'turn on its feature gate, or take it out',
        }),
      ),
  ]
}

/** Reports whether a path such as `spec.ports[0].name` leads to a member of an object. */
function hasMember(object: Json, path: string): boolean {
  let value: Json | undefined = object
  for (const step of path.split(/[.[\]]+/).filter(Boolean)) {
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value !== undefined
}

/**
 * Returns warnings of the target release about something of which the present release does not warn, in whatever words.
 * Deprecations are reported as such.
 */
function newWarnings(now: readonly string[], then: readonly string[]): string[] {
  const about = (warning: string): string => warning.slice(0, warning.indexOf(': ') + 1)
  return then.filter(warning => !isDeprecation(warning) && !isOldKey(warning) && !now.some(old => about(old) === about(warning)))
}

/** Reports validation errors: new ones, those of the converted object, or those of both releases. */
function validationFindings(
  subject: ExaminedObject,
  { state }: Standing,
  now: readonly Refusal[],
  then: readonly Refusal[],
  to: Release,
): Finding[] {
  const news = newOf(now, then)
  if (state === 'removed') {
    const decided = decisionsOf(subject, subject.value)
    const others = then.filter(({ text }) => !decided.some(({ path }) => text.startsWith(`${path}:`)))
    return others.length === 0
      ? []
      : [finding(subject, 'needs-decision', 'warning', `${to} rejects the converted object: ${firstMessages(others)}`)]
  }
  // If the present release rejects it as well, it is a patch or a part of an object.
  if (news.length > 0 && (now.length === 0 || subject.isListed))
    return [finding(subject, 'changed-validation', 'blocking', `${to} refuses ${firstMessages(news)}`)]
  return then.length === 0 || subject.isListed
    ? []
    : [finding(subject, 'invalid-object', 'note', `both releases refuse ${firstMessages(then)}`)]
}

/**
 * Returns errors that the previous release does not have. Errors are matched by reason and field, since messages
 * differ.
 */
function newOf(now: readonly Refusal[], then: readonly Refusal[]): Refusal[] {
  const before = now.map(({ about }) => about)
  return then.filter(({ about }) => {
    const at = before.indexOf(about)
    if (at >= 0) before.splice(at, 1)
    return at < 0
  })
}

/** Reports whether a warning is about a deprecation. Other warnings are about the object, not about the release. */
const isDeprecation = (warning: string): boolean =>
  /deprecated|non-functional|no longer|will be removed|unsupported|disabled by default/i.test(warning)

/** Reports whether a warning is about a deprecated annotation, which `examineObject` reports from its own table. */
const isOldKey = (warning: string): boolean =>
  /seccomp\.security|apparmor\.security|kubernetes\.io\/ingress\.class|mount-options|annotations\[/.test(warning)

/** Validates the object in its own version if the release has it, otherwise in the successor. */
async function judgeIn(kinds: ReleaseKinds, { value, apiVersion, kind }: ExaminedObject): Promise<Judgement | undefined> {
  const named = { ...value, apiVersion, kind }
  const found = kinds.find(named)
  if (found === undefined) return undefined
  if (standingIn(kinds.release, named)?.state !== 'removed') return judge(kinds, found, named)
  const conversion = convertObject(kinds, found, named)
  return conversion && judge(kinds, { definition: found.definition, version: conversion.to }, conversion.after)
}

/**
 * Compares the decoded objects of both releases. Members that the object states itself are no findings: their changes
 * are those of the conversion.
 */
function defaultFindings(subject: ExaminedObject, { object: old }: Judgement, { object: now }: Judgement): Finding[] {
  if (old === undefined || now === undefined || old.apiVersion !== now.apiVersion) return []
  const found: Finding[] = []
  const visit = (a: Json | undefined, b: Json | undefined, written: Json | undefined, path: string): void => {
    if (deepEqual(a, b) || (isNothing(a) && isNothing(b)) || path === 'metadata.creationTimestamp') return
    if (isJsonObject(a) && isJsonObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        visit(a[key], b[key], isJsonObject(written) ? written[key] : undefined, path === '' ? key : `${path}.${key}`)
    } else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
      for (const [i, item] of a.entries()) visit(item, b[i], Array.isArray(written) ? written[i] : undefined, `${path}[${i}]`)
    else if (written === undefined)
      found.push(finding(subject, 'changed-default', 'note', `${path}: ${valueExcerpt(a)} becomes ${valueExcerpt(b)}`))
  }
  visit(old, now, subject.value, '')
  return found
}

const valueExcerpt = (value: Json | undefined): string => (value === undefined ? 'no value' : rawJson(value).slice(0, 200))
