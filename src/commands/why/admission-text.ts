import type { PluginRun, PolicyStep, WebhookCallStep } from '../../meta/why.ts'
import type { Why } from '../../why/types.ts'
import { changeLines } from './changes-text.ts'
import { duration } from './duration.ts'

/**
 * Returns lines about admission. Plugins that changed and denied nothing share a line; webhooks, policies and all
 * others have lines of their own.
 */
export function admissionLines({ steps }: Why): string[] {
  const lines: string[] = []
  const quiet: string[] = []
  for (const step of steps) {
    if (step.step === 'webhook') lines.push(...webhookLines(step))
    else if (step.step === 'policy') lines.push(...policyLines(step))
    else if (step.step === 'admission plugin') {
      const own = pluginLines(step)
      lines.push(...own)
      if (own.length === 0) quiet.push(`${step.plugin} (${duration(step.milliseconds)})`)
    }
  }
  return quiet.length === 0 ? lines : [...lines, `Passed: ${quiet.join(', ')}.`]
}

function pluginLines({ plugin, phase, outcome, milliseconds, changes = [] }: PluginRun): string[] {
  if (outcome === 'refused') return [`Plugin ${plugin} denied it (${phase}, ${duration(milliseconds)}).`]
  if (changes === 'too large' || changes.length === 0) return []
  return [`Plugin ${plugin} changed it (${duration(milliseconds)}):`, ...changeLines(changes)]
}

const OUTCOMES: Readonly<Record<WebhookCallStep['outcome'], string>> = {
  admitted: 'admitted it',
  refused: 'denied it',
  failed: 'could not be called',
  'failed open': 'could not be called, which its failure policy ignores',
}

function webhookLines({ webhook, configuration, phase, round, outcome, milliseconds, message, patch = [] }: WebhookCallStep): string[] {
  const again = round === 1 ? '' : ', called again because others had changed the object'
  const line = `Webhook ${webhook} of ${configuration} (${phase}) ${OUTCOMES[outcome]} in ${duration(milliseconds)}${again}${message === undefined ? '.' : `: ${message}`}`
  return patch.length === 0 ? [line] : [line, ...changeLines(patch)]
}

const POLICY_OUTCOMES: Readonly<Record<PolicyStep['outcome'], string>> = {
  admitted: 'admitted it',
  refused: 'denied it',
  failed: 'could not be evaluated, which its failure policy ignores',
  'warned or audited': 'is violated, and only warns or audits',
}

function policyLines({ policy, binding, phase, outcome, milliseconds, cost, messages = [], changes = [] }: PolicyStep): string[] {
  const by = binding === undefined ? '' : ` by binding ${binding}`
  const costs = cost === undefined ? '' : `, CEL cost ${cost} of 10000000`
  return [
    `Policy ${policy}${by} (${phase}) ${outcome === 'admitted' && changes.length > 0 ? 'changed it' : POLICY_OUTCOMES[outcome]} in ${duration(milliseconds)}${costs}${messages.length === 0 ? '.' : ':'}`,
    ...messages.map(message => `  ${message}`),
    ...changeLines(changes),
  ]
}
