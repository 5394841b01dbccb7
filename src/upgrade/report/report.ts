import type { Release } from '../../lifecycle/release.ts'
import { componentFindings, givenGateFindings } from './components.ts'
import { CustomKinds } from './custom-kinds.ts'
import { type ExaminedObject, examineObject, upgradeOf } from './examine-object.ts'
import { type Finding, type Report, sortFindings } from './finding.ts'

/** A source: its objects, and findings about the source itself. */
export interface Examined {
  /** Name such as `manifests/` or `https://10.0.0.1:6443`. */
  readonly name: string
  readonly subjects: Iterable<ExaminedObject> | AsyncIterable<ExaminedObject>
  /** Complete after all subjects have been read. */
  readonly findings: readonly Finding[]
}

/** Releases of the upgrade, and what else to examine. `from` and `to` may be equal. */
export interface ReportOptions {
  readonly from: Release
  readonly to: Release
  /** Optional. Gates of a component that is not part of a source: `A=true,B=false`. */
  readonly gates?: string
}

/** Reports on all objects of the sources. */
export async function reportOn(sources: readonly Examined[], { from, to, gates }: ReportOptions): Promise<Report> {
  const upgrade = upgradeOf(from, to)
  const findings: Finding[] = gates === undefined ? [] : givenGateFindings(gates, upgrade)
  const custom = new CustomKinds()
  let objects = 0
  for (const source of sources) {
    for await (const subject of source.subjects) {
      objects++
      custom.add(subject)
      findings.push(
        ...(await examineObject(subject, upgrade)),
        ...componentFindings(subject.value, subject, subject.place, subject.label, upgrade),
      )
    }
    findings.push(...source.findings)
  }
  findings.push(...custom.findings())
  return { from, to, sources: sources.map(({ name }) => name), objects, findings: sortFindings(withoutUnnamed(findings)) }
}

/** Removes findings from the server's metrics about requests whose clients an audit log names. */
function withoutUnnamed(findings: readonly Finding[]): Finding[] {
  const named = new Set(
    findings.filter(({ rule, usages }) => rule === 'requested-version' && usages !== undefined).map(({ subject }) => subject),
  )
  return findings.filter(({ rule, usages, subject }) => rule !== 'requested-version' || usages !== undefined || !named.has(subject))
}
