import type { Release } from '../../lifecycle/release.ts'
import { componentFindings, givenGateFindings } from './components.ts'
import { CustomKinds } from './custom-kinds.ts'
import { examineObject, type Subject, upgradeOf } from './examine-object.ts'
import { type Finding, type Report, sortFindings } from './finding.ts'

/** What one source has: objects, and what it found itself. */
export interface Examined {
  /** `manifests/`, `https://10.0.0.1:6443` … */
  readonly name: string
  readonly subjects: Iterable<Subject> | AsyncIterable<Subject>
  /** Complete once the subjects have been read. */
  readonly findings: readonly Finding[]
}

export interface ReportOptions {
  readonly from: Release
  readonly to: Release
  /** `A=true,B=false` of a component that no source shows. */
  readonly gates?: string
}

/** What the upgrade means for everything that the sources have. */
export async function reportOn(sources: readonly Examined[], { from, to, gates }: ReportOptions): Promise<Report> {
  const upgrade = upgradeOf(from, to)
  const findings: Finding[] = gates === undefined ? [] : givenGateFindings(gates, upgrade)
  const custom = new CustomKinds()
  let objects = 0
  for (const source of sources) {
    for await (const subject of source.subjects) {
      objects++
      custom.add(subject)
      findings.push(...(await examineObject(subject, upgrade)), ...componentFindings(subject.value, subject, subject.place, subject.label, upgrade))
    }
    findings.push(...source.findings)
  }
  findings.push(...custom.findings())
  return { from, to, sources: sources.map(({ name }) => name), objects, findings: sortFindings(withoutUnnamed(findings)) }
}

/** An audit log names who has asked for a version. That the metrics of the server count the requests, too, says no more. */
function withoutUnnamed(findings: readonly Finding[]): Finding[] {
  const named = new Set(findings.filter(({ rule, usages }) => rule === 'requested-version' && usages !== undefined).map(({ subject }) => subject))
  return findings.filter(({ rule, usages, subject }) => rule !== 'requested-version' || usages !== undefined || !named.has(subject))
}
