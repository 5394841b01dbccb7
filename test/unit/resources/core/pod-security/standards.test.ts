import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { compareReleases, RELEASES, type Release } from '../../../../../src/lifecycle/release.ts'
import { type CheckedPod, checkedPod } from '../../../../../src/resources/core/pod-security/check.ts'
import { type Level, minorOfVersion, type PolicyVersion } from '../../../../../src/resources/core/pod-security/level.ts'
import { detailsText, reasonsText, Standards } from '../../../../../src/resources/core/pod-security/standards.ts'
import { podWith } from '../../../../support/pod.ts'

interface Found {
  readonly level: Level
  readonly release: Release
  readonly relaxed?: true
  readonly since: readonly (readonly [minor: number | 'latest', text: string])[]
}

const CASES: readonly (Pick<Pod, 'metadata' | 'spec'> & { found: readonly Found[] })[] = readFileSync(
  join(import.meta.dirname, '../../../../fixtures/pod-security/cases.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))

const VERSIONS: readonly PolicyVersion[] = [...Array.from({ length: 39 }, (_, minor) => `v1.${minor}` as const), 'latest']
const GATE = 'UserNamespacesPodSecurityStandards'

const standardsOf = (release: Release, relaxed: boolean): Standards =>
  new Standards(parseGates(release, new Map(relaxed ? [[GATE, true]] : [])))

/** The violations that upstream reports for a pod in each version. */
function expected(found: readonly Found[], level: Level, release: Release, relaxed: boolean): string[] {
  const ofLevel = found.filter(one => one.level === level)
  const entry =
    (relaxed ? ofLevel.find(one => one.relaxed && one.release === release) : undefined) ??
    ofLevel.findLast(one => !one.relaxed && compareReleases(one.release, release) <= 0)
  return VERSIONS.map(
    version =>
      entry?.since.findLast(([minor]) => (minor === 'latest' ? version === 'latest' : minor <= minorOfVersion(version)))?.[1] ?? '?',
  )
}

const said = (standards: Standards, level: Level, version: PolicyVersion, pod: CheckedPod): string =>
  detailsText(runAtOnce(standards.violations({ level, version }, pod)))

describe('Pod Security Standards', () => {
  const judged: [Release, boolean][] = RELEASES.flatMap(release =>
    compareReleases(release, '1.29') >= 0 && compareReleases(release, '1.35') < 0
      ? [
          [release, false],
          [release, true],
        ]
      : [[release, false]],
  )
  for (const [release, relaxed] of judged)
    it(`match those of release ${release}${relaxed ? `, with ${GATE}` : ''}`, () => {
      const standards = standardsOf(release, relaxed)
      for (const { metadata = {}, spec, found } of CASES)
        for (const level of ['baseline', 'restricted'] as const) {
          const pod = checkedPod(metadata, spec)
          expect(VERSIONS.map(version => said(standards, level, version, pod))).to.deep.equal(expected(found, level, release, relaxed))
        }
    })

  it('allow everything at level privileged', () => {
    const pod = podWith({ hostNetwork: true })
    expect(said(standardsOf('1.33', false), 'privileged', 'latest', checkedPod(pod.metadata, pod.spec))).to.equal('')
  })

  it('have short reasons', () => {
    const pod = podWith({ hostNetwork: true, hostPID: true, volumes: [{ name: 'v', hostPath: { path: '/' } }] })
    const found = runAtOnce(
      standardsOf('1.33', false).violations({ level: 'baseline', version: 'latest' }, checkedPod(pod.metadata, pod.spec)),
    )
    expect(reasonsText(found)).to.equal('host namespaces, hostPath volumes')
  })

  it('check long lists in steps', () => {
    const capabilities = { add: Array.from({ length: 20_000 }, (_, i) => `C${i}`) }
    const pod = podWith({ containers: [{ name: 'c', image: 'i', securityContext: { capabilities } }] })
    const steps = standardsOf('1.33', false).violations({ level: 'baseline', version: 'latest' }, checkedPod(pod.metadata, pod.spec))
    let count = 0
    while (!steps.next().done) count++
    expect(count).to.be.greaterThan(20_000 / 512)
  })

  it('allow two more sysctls since v1.37', () => {
    const pod = podWith({
      securityContext: {
        sysctls: ['net.ipv4.tcp_notsent_lowat', 'net.ipv4.tcp_slow_start_after_idle'].map(name => ({ name, value: '1' })),
      },
    })
    const found = (release: Release, version: PolicyVersion) =>
      reasonsText(runAtOnce(standardsOf(release, false).violations({ level: 'baseline', version }, checkedPod(pod.metadata, pod.spec))))
    expect(found('1.37', 'latest')).to.equal('')
    expect(found('1.37', 'v1.36')).to.equal('forbidden sysctls')
    expect(found('1.36', 'latest')).to.equal('forbidden sysctls')
  })
})
