import { objectIn } from '../../api/meta/object.ts'
import type { ForkClient } from '../fork/fork-client.ts'
import type { PlacedObject } from '../placed-object.ts'
import { listItems } from '../references/reference.ts'
import type { CheckFinding } from '../types.ts'
import { objectFinding } from './finding.ts'

/**
 * Findings about expressions of policies that do not fit the types of the kinds that they match, from the status that
 * the server writes.
 */
export async function typeCheckFindings(placed: readonly PlacedObject[], admin: ForkClient): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = []
  for (const { object, served, response } of placed) {
    if (object.kind !== 'ValidatingAdmissionPolicy' || response.error) continue
    const { status } = (await admin.get(served, '', object.name)) ?? {}
    for (const { item } of listItems(objectIn(objectIn(status).typeChecking).expressionWarnings, ''))
      findings.push(objectFinding(object, 'policy-type', 'warning', String(item.warning).trim(), { field: String(item.fieldRef) }))
  }
  return findings
}
