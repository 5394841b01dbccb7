import { expect } from 'chai'
import type { Report } from '../../../../src/upgrade/report/finding.ts'
import { htmlReport } from '../../../../src/upgrade/report/formats/html.ts'
import { sarifReport } from '../../../../src/upgrade/report/formats/sarif.ts'
import { textReport } from '../../../../src/upgrade/report/formats/text.ts'

const HOSTILE = `<img src=x onerror="alert(1)">'\`&</script>`

const report: Report = {
  from: '1.24',
  to: '1.34',
  sources: ['shop/'],
  objects: 3,
  findings: [
    {
      rule: 'removed-version',
      level: 'blocking',
      subject: 'CronJob shop/report',
      place: { file: 'shop/the report.yaml', line: 4 },
      message: 'batch/v1beta1 CronJob is not served by 1.34',
      advice: 'use batch/v1',
      since: '1.25',
      usages: [{ by: 'helm', time: '2024-01-01T00:00:00Z' }],
      diff: '@@ -1,1 +1,1 @@\n-apiVersion: batch/v1beta1\n+apiVersion: batch/v1',
    },
    {
      rule: 'deprecated-gate',
      level: 'warning',
      subject: '--feature-gates',
      place: { source: '--gates' },
      message: 'the feature gate A is deprecated',
    },
  ],
}

const hostile: Report = {
  ...report,
  sources: [HOSTILE],
  findings: [
    {
      rule: 'unreadable',
      level: 'note',
      subject: HOSTILE,
      place: { file: HOSTILE },
      message: HOSTILE,
      advice: HOSTILE,
      usages: [{ by: HOSTILE, time: HOSTILE }],
      diff: `+${HOSTILE}\n${HOSTILE}`,
    },
  ],
}

describe('formats of the upgrade report', () => {
  it('prints text for a terminal', () => {
    expect(textReport(report, true)).to.equal(`From 1.24 to 1.34: 3 objects of shop/

Blocking (1)

  CronJob shop/report  shop/the report.yaml:4
    batch/v1beta1 CronJob is not served by 1.34 → use batch/v1 [removed-version]
      by helm, 2024-01-01T00:00:00Z
      @@ -1,1 +1,1 @@
      -apiVersion: batch/v1beta1
      +apiVersion: batch/v1


To review (1)

  --feature-gates  --gates
    the feature gate A is deprecated [deprecated-gate]


1 finding blocks the upgrade to 1.34, 1 to review.
`)
  })

  it('prints SARIF with rules, and locations in files as URIs', () => {
    const { version, runs } = JSON.parse(sarifReport(report))
    expect(version).to.equal('2.1.0')
    const [{ tool, results, invocations }] = runs
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).to.deep.equal(['removed-version', 'deprecated-gate'])
    expect(results[0]).to.deep.include({ ruleId: 'removed-version', ruleIndex: 0, level: 'error' })
    expect(results[0].locations[0].physicalLocation).to.deep.equal({
      artifactLocation: { uri: 'shop/the%20report.yaml' },
      region: { startLine: 4 },
    })
    // GitHub refuses results without a region of a file.
    expect(results).to.have.length(1)
    const [{ executionSuccessful, toolExecutionNotifications }] = invocations
    expect(executionSuccessful).to.equal(true)
    expect(toolExecutionNotifications).to.have.length(1)
    expect(toolExecutionNotifications[0]).to.deep.include({
      level: 'warning',
      associatedRule: { id: 'deprecated-gate', index: 1 },
      message: { text: '--feature-gates: the feature gate A is deprecated' },
      locations: [{ logicalLocations: [{ name: '--feature-gates', fullyQualifiedName: '--gates: --feature-gates', kind: 'resource' }] }],
    })
  })

  it('gives SARIF results about a whole file its first line', () => {
    const unreadable = { rule: 'unreadable', level: 'warning', subject: 'a.yaml', place: { file: 'a.yaml' }, message: 'no YAML' } as const
    const [{ results, invocations }] = JSON.parse(sarifReport({ ...report, findings: [unreadable] })).runs
    expect(results[0].locations[0].physicalLocation.region).to.deep.equal({ startLine: 1 })
    expect(invocations).to.equal(undefined)
  })

  it('prints self-contained HTML with all data escaped', () => {
    const page = htmlReport(hostile)
    expect(page).to.not.include('<img')
    expect(page).to.not.include('onerror="')
    expect(page.match(/<\/script>/g)).to.have.lengthOf(1)
    expect(page).to.not.match(/(?:src|href)="(?!#)/)
    expect(page).to.not.match(/url\(|@import|https?:/)
    expect(htmlReport(report)).to.include('<span class="add">+apiVersion: batch/v1</span>')
    expect(htmlReport({ ...report, findings: [] })).to.include('Nothing blocks the upgrade to 1.34.')
  })

  it('prints equal findings once in HTML, and limits its size', () => {
    const many = (count: number, message: (i: number) => string): Report => ({
      ...report,
      findings: Array.from({ length: count }, (_, i) => ({
        rule: 'deprecated-version',
        level: 'warning',
        subject: `Endpoints shop/${i}`,
        place: { source: `/api/v1/namespaces/shop/endpoints/${i}` },
        message: message(i),
      })),
    })
    const alike = htmlReport(many(20_000, () => 'v1 Endpoints is deprecated in v1.33+'))
    expect(alike.split('v1 Endpoints is deprecated')).to.have.lengthOf(2)
    expect(alike).to.include('Endpoints <small>20000 times</small>')
    expect(alike).to.include('19500 more')
    expect(alike.length).to.be.below(100_000)
    expect(htmlReport(many(4, () => 'v1 Endpoints is deprecated in v1.33+')).split('v1 Endpoints is deprecated')).to.have.lengthOf(5)
    const different = htmlReport(many(20_000, i => `number ${i} is deprecated`))
    expect(different).to.include('18000 more')
    expect(different.length).to.be.below(1_000_000)
  })
})
