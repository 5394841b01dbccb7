import type { WhyStep } from '../../meta/why.ts'
import type { ClosestGrant, Why } from '../../why/types.ts'
import { actionText } from './action-text.ts'

/** Returns lines about a denied request: the reason, the closest grants, and commands that would allow it. */
export function denialLines(why: Why): readonly string[] {
  const { denial, user, request } = why
  if (denial === undefined) return []
  const what = actionText(why)
  const lines = [`${user} may not ${what}. ${reasonText(why)}`]
  if (denial.allowedNow !== undefined) lines.push(`Allowed now by ${denial.allowedNow}.`)
  for (const [i, grant] of denial.closest.entries())
    if (grant.missing.length > 0) lines.push(`${i === 0 ? 'Closest: ' : 'Then: '}${closestText(grant, user, request.namespace)}`)
  const { commands, yaml } = denial.toAllow
  if (commands.length > 0) lines.push('To allow exactly this:', ...commands.map(command => `  ${command}`))
  else if (yaml !== '')
    lines.push(
      `To allow it, add to the file of the mode ${denial.modes.join(', ')}:`,
      ...yaml
        .trimEnd()
        .split('\n')
        .map(line => `  ${line}`),
    )
  return lines
}

function reasonText({ steps, denial, request }: Why): string {
  const last = steps.findLast(
    (step): step is Extract<Why['steps'][number], Extract<WhyStep, { step: 'authorized' }>> => step.step === 'authorized',
  )
  const { modes = [] } = denial ?? {}
  const place = request.namespace === '' ? '' : ` there, or in the whole cluster,`
  const reason = last?.reason ? ` (${last.reason})` : ''
  if (last?.decision === 'deny') return `${last.by ?? 'An authorizer'} denied it${reason}.`
  if (!modes.includes('RBAC')) return `The authorizer (${modes.join(', ')}) allows nothing of that kind${reason}.`
  return `No binding of this user or its groups${place} names a role with a rule for it${reason}.`
}

function closestText({ binding, role, subject, rule, missing }: ClosestGrant, user: string, namespace: string): string {
  const verbs = joinNames(rule.verbs)
  const what = rule.nonResourceURLs
    ? joinNames(rule.nonResourceURLs)
    : `${joinNames(rule.resources ?? [])}${groupsText(rule.apiGroups)}${namesText(rule.resourceNames)}`
  const who = subject === undefined ? '' : ` to ${subject}`
  return `${binding} gives ${verbs} on ${what}${who} (${role}). Missing: ${missing.map(part => missingText(part, user, namespace)).join('; ')}.`
}

const joinNames = (names: readonly string[]): string => names.map(name => (name === '*' ? 'everything' : name)).join(', ')
const groupsText = (groups: readonly string[] = []): string =>
  groups.every(group => group === '')
    ? ''
    : ` of ${groups.map(group => (group === '*' ? 'every group' : group || 'the core group')).join(', ')}`
const namesText = (names: readonly string[] | undefined): string => (names === undefined ? '' : ` named ${names.join(', ')}`)

function missingText(part: ClosestGrant['missing'][number], user: string, namespace: string): string {
  switch (part) {
    case 'subject':
      return `${user} is not one of its subjects`
    case 'namespace':
      return namespace === ''
        ? 'it applies only to its namespace, and the request is for all namespaces'
        : `it applies only to its namespace, and not to ${namespace}`
    case 'verb':
      return 'the verb'
    case 'apiGroup':
      return 'the API group'
    case 'resource':
      return 'the resource'
    case 'name':
      return 'the name'
    case 'path':
      return 'the path'
  }
}
