import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { dashboard, dashboardExpressions, MANIFESTS, metricsOf, rules } from '../../support/manifests.ts'
import { findPromtool } from '../../support/promtool.ts'

describe('the rules of Prometheus and the dashboard', () => {
  const promtool = findPromtool()
  const check = (...args: string[]): void => {
    const { status, stderr, stdout } = spawnSync(promtool ?? '', args, { cwd: join(MANIFESTS, 'prometheus'), encoding: 'utf8' })
    expect(status, `${stdout}${stderr}`).to.equal(0)
  }
  const itWithPromtool = promtool === undefined ? (what: string) => it.skip(`${what} (needs promtool in $PROMTOOL or the PATH)`) : it

  it('query recorded metrics', () => {
    const recorded = new Set(rules().map(({ record }) => record))
    const asked = [...dashboardExpressions(), ...rules().map(({ expr }) => expr)].flatMap(metricsOf).filter(name => name.includes(':'))
    expect(asked).to.have.length.above(8)
    expect(asked.filter(name => !recorded.has(name))).to.deep.equal([])
  })
  it('are shown in panels of their own', () => {
    const ids = dashboard().panels.map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
  })
  itWithPromtool('are valid', () => check('check', 'config', 'prometheus.yaml'))
  itWithPromtool('do what they say', () => check('test', 'rules', 'rules-test.yaml'))
  itWithPromtool('have valid expressions in the dashboard', () => {
    const directory = mkdtempSync(join(tmpdir(), 'binnacle-rules-'))
    const file = join(directory, 'dashboard.json')
    const asRules = dashboardExpressions().map((expr, i) => ({ record: `panel:expression:${i}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
    check('check', 'rules', file)
    rmSync(directory, { recursive: true })
  })
})
