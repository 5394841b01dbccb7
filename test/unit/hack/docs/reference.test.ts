import { expect } from 'chai'
import { errorsPage } from '../../../../hack/docs/reference/errors.ts'
import { flagsPage } from '../../../../hack/docs/reference/flags.ts'
import { gatesPage } from '../../../../hack/docs/reference/gates.ts'
import { metricsPage } from '../../../../hack/docs/reference/metrics.ts'
import { argumentsAt, FACTORIES, statusCalls, wordsOf } from '../../../../hack/docs/reference/status-calls.ts'
import { plain } from '../../../../hack/docs/reference/tables.ts'
import { FLAGS } from '../../../../src/config/flag-table.ts'
import * as made from '../../../../src/meta/status.ts'
import { dashboardExpressions, metricsOf, rules } from '../../../support/manifests.ts'

const WHY = 'why'
const NAMED = { group: '', resource: 'RESOURCE', kind: 'KIND' }

/** Results of the factories in src/meta/status.ts. */
const MADE: Readonly<Record<string, () => made.StatusError>> = {
  alreadyExistsError: () => made.alreadyExistsError(NAMED, 'NAME'),
  badRequestError: () => made.badRequestError(WHY),
  conflictError: () => made.conflictError(NAMED, 'NAME', WHY),
  expiredError: () => made.expiredError(WHY),
  forbiddenError: () => made.forbiddenError(NAMED, 'NAME', WHY),
  internalServerError: () => made.internalServerError(WHY),
  invalidError: () => made.invalidError(NAMED, 'NAME', []),
  methodNotAllowedError: () => made.methodNotAllowedError(),
  notFoundError: () => made.notFoundError(NAMED, 'NAME'),
  pathNotFoundError: () => made.pathNotFoundError(),
  refuse: () => made.forbiddenError(NAMED, 'NAME', WHY),
  serviceUnavailableError: () => made.serviceUnavailableError(WHY),
  timeoutError: () => made.timeoutError(WHY, 0),
  tooLargeError: () => made.tooLargeError(WHY),
  tooLargeResourceVersionError: () => made.tooLargeResourceVersionError('…', '…'),
  tooManyRequestsError: () => made.tooManyRequestsError(WHY, 0),
  unauthorizedError: () => made.unauthorizedError(),
}

describe('the reference of errors', () => {
  it('covers every function that creates a failure', () => {
    const factories = Object.keys(made).filter(name => /Error$/.test(name) && !/^(?:StatusError|isStatusError)$/.test(name))
    expect(Object.keys(FACTORIES)).to.have.members([...factories, 'refuse'])
  })
  for (const [name, { code, reason, around = (text: string) => text }] of Object.entries(FACTORIES))
    it(`describes ${name}`, () => {
      const status = MADE[name]?.().status
      expect([status?.code, status?.reason]).to.deep.equal([code, reason])
      expect(around(WHY)).to.satisfy((words: string) => status?.message?.startsWith(words.replace('FIELD: …', '')))
    })

  it('parses calls as they are written', () => {
    const text = `throw failure(409, 'Conflict', \`a \${of('b', [1])} c\`, { d: ')' })`
    expect(argumentsAt(text, text.indexOf('(') + 1)).to.deep.equal(['409', "'Conflict'", `\`a \${of('b', [1])} c\``, "{ d: ')' }"])
    expect([wordsOf("'it\\'s'"), wordsOf(`\`a \${\`\${b}\`} c\``), wordsOf("a ? 'b' : 'c'")]).to.deep.equal(["it's", 'a … c', '…'])
  })
  it('finds the calls in src', () => {
    const calls = statusCalls()
    expect(calls.length).to.be.greaterThan(250)
    const words = calls.find(({ path }) => path === 'src/resources/scheduling/priority-class/definition.ts')?.words
    expect(words).to.equal('RESOURCE "NAME" is forbidden: this is a system priority class and cannot be deleted')
  })
  it('explains every reason', () => {
    expect(errorsPage()).to.include('## 410 Expired')
    expect(() => errorsPage([...statusCalls(), { code: 418, reason: 'Teapot', words: '', path: 'src/a.ts' }])).to.throw('418 Teapot')
  })
})

describe('the reference of flags and gates', () => {
  it('escapes text, and marks code', () => expect(plain('a|b <c> `d_e` f_g')).to.equal('a\\|b \\<c\\> `d_e` f\\_g'))
  it('lists every flag once', () => {
    const page = flagsPage()
    for (const name of Object.keys(FLAGS))
      expect(page.split(name.length === 1 ? `| \`-${name}\` |` : `| \`--${name}\` |`), name).to.have.length(2)
  })
  it('describes the effect of a gate on this server', () =>
    expect(gatesPage()).to.include('| `AnyVolumeDataSource` | GA | on, locked | one way only: on |'))
})

describe('the reference of metrics', () => {
  let page = ''
  before(async () => {
    page = await metricsPage()
  })

  it('includes those of parts that flags enable, with their labels', () => {
    expect(page).to.include('| `apiserver_audit_level_total` | counter | ALPHA | `level` |')
    for (const name of [
      'binnacle_faults_total',
      'node_authorizer_graph_actions_duration_seconds',
      'registered_metrics_total',
      'process_cpu_seconds_total',
    ])
      expect(page).to.include(`| \`${name}\` |`)
  })
  it('includes those that the Prometheus rules and the dashboard query', () => {
    const asked = [...dashboardExpressions(), ...rules().map(({ expr }) => expr)].flatMap(metricsOf).filter(name => !name.includes(':'))
    expect([...new Set(asked.map(name => name.replace(/_bucket$/, '')))].filter(name => !page.includes(`| \`${name}\` |`))).to.deep.equal(
      [],
    )
  })
})
