import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../../src/api/meta/object.ts'
import { KwokObjectError } from '../../../../../src/cluster/kwok/field-reader.ts'
import { decodeAttach, decodeExec, decodeLogs, decodePortForward } from '../../../../../src/cluster/kwok/rules/decode-rules.ts'
import { ruleFor, ruleOfContainer, ruleOfPort } from '../../../../../src/cluster/kwok/rules/pod-rules.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'

const object = (kind: string, spec: JsonObject, name = 'web', namespace = 'default'): Json => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind,
  metadata: { name, ...(!kind.startsWith('Cluster') && { namespace }) },
  spec,
})

const logsOf = (given: Json) => runAtOnce(decodeLogs(given))
const attachesOf = (given: Json) => runAtOnce(decodeAttach(given))
const execsOf = (given: Json) => runAtOnce(decodeExec(given))
const forwardsOf = (given: Json) => runAtOnce(decodePortForward(given))

describe('rules for pods', () => {
  it('are decoded', () => {
    expect(
      logsOf(object('Logs', { logs: [{ containers: ['a'], logsFile: '/a.log', previousLogsFile: '/b.log', follow: true }, {}] })),
    ).to.deep.equal({
      pod: { namespace: 'default', name: 'web' },
      namespaces: [],
      names: [],
      rules: [
        { containers: ['a'], logsFile: '/a.log', previousLogsFile: '/b.log', follow: true },
        { containers: [], follow: false },
      ],
    })
    expect(
      attachesOf(object('ClusterAttach', { selector: { matchNamespaces: ['x'], matchNames: ['y'] }, attaches: [{ logsFile: '/a' }] })),
    ).to.deep.equal({
      pod: undefined,
      namespaces: ['x'],
      names: ['y'],
      rules: [{ containers: [], logsFile: '/a', echo: false }],
    })
    const local = { workDir: '/tmp', envs: [{ name: 'A', value: 'b' }, { name: 'C' }], securityContext: { runAsUser: 1000, runAsGroup: 0 } }
    expect(execsOf(object('Exec', { execs: [{ local }, { containers: ['a'] }] })).rules).to.deep.equal([
      {
        containers: [],
        echo: false,
        local: {
          workDir: '/tmp',
          environment: [
            { name: 'A', value: 'b' },
            { name: 'C', value: '' },
          ],
          user: 1000,
          group: 0,
        },
      },
      { containers: ['a'], echo: false },
    ])
    expect(
      forwardsOf(object('PortForward', { forwards: [{ ports: [80], target: { address: 'a', port: 8080 } }, { command: ['cat'] }] })).rules,
    ).to.deep.equal([
      { ports: [80], target: { address: 'a', port: 8080 }, command: [], echo: false },
      { ports: [], command: ['cat'], echo: false },
    ])
  })

  it('are decoded with texts, results and echoes, which kwok does not know', () => {
    expect(logsOf(object('Logs', { logs: [{ text: 'a', previousText: 'b' }] })).rules).to.deep.equal([
      { containers: [], text: 'a', previousText: 'b', follow: false },
    ])
    expect(attachesOf(object('Attach', { attaches: [{ text: 'a', echo: true }] })).rules).to.deep.equal([
      { containers: [], text: 'a', echo: true },
    ])
    expect(execsOf(object('Exec', { execs: [{ output: { stdout: 'a', exitCode: 2 } }, { echo: true }] })).rules).to.deep.equal([
      { containers: [], echo: false, output: { stdout: 'a', stderr: '', exitCode: 2 } },
      { containers: [], echo: true },
    ])
    expect(forwardsOf(object('PortForward', { forwards: [{ text: 'a' }, { echo: true }] })).rules).to.deep.equal([
      { ports: [], command: [], text: 'a', echo: false },
      { ports: [], command: [], echo: true },
    ])
    expect(() => execsOf(object('Exec', { execs: [{ output: { exitCode: 256 } }] }))).to.throw(
      'spec.execs[0].output.exitCode: Invalid value: 256',
    )
  })

  const invalid: readonly [title: string, decode: () => unknown, messages: readonly string[]][] = [
    [
      'logs of another kind',
      () => logsOf(object('Exec', { logs: [] })),
      ['kind: Unsupported value: "Exec": supported values: "Logs", "ClusterLogs"'],
    ],
    ['logs without rules', () => logsOf(object('Logs', {})), ['spec.logs: Required value']],
    [
      'a selector in an object of one pod',
      () => logsOf(object('Logs', { logs: [], selector: {} })),
      ['spec: Invalid value: "selector": unknown field'],
    ],
    [
      'commands',
      () => execsOf(object('Exec', { execs: [{ local: { envs: [{}], securityContext: { runAsUser: -1 } } }, 1, { run: true }] })),
      [
        'spec.execs[0].local.envs[0].name: Required value',
        'spec.execs[0].local.securityContext.runAsUser: Invalid value: -1: must be greater than or equal to 0',
        'spec.execs[1]: Invalid value: 1: must be an object',
        'spec.execs[2]: Invalid value: "run": unknown field',
      ],
    ],
    [
      'ports',
      () => forwardsOf(object('ClusterPortForward', { forwards: [{ ports: [70_000, 'x'], target: {} }] })),
      [
        'spec.forwards[0].ports[0]: Invalid value: 70000: must be an integer between 0 and 65535',
        'spec.forwards[0].ports[1]: Invalid value: "x"',
        'spec.forwards[0].target.address: Required value',
        'spec.forwards[0].target.port: Required value',
      ],
    ],
  ]
  for (const [title, decode, messages] of invalid)
    it(`are refused with the names of their fields: ${title}`, () => {
      for (const message of messages) expect(decode).to.throw(KwokObjectError, message)
    })

  it('are found by pod, then by selector, and by container', () => {
    const logs = (file: string, containers: string[] = []): JsonObject => ({ containers, logsFile: file })
    const objects = [
      logsOf(object('ClusterLogs', { selector: { matchNamespaces: ['other'] }, logs: [logs('other')] })),
      logsOf(object('ClusterLogs', { selector: { matchNames: ['api'] }, logs: [logs('api-b', ['b'])] })),
      logsOf(object('ClusterLogs', { logs: [logs('any'), logs('c', ['c'])] })),
      logsOf(object('Logs', { logs: [logs('web-a', ['a'])] })),
    ]
    const fileOf = (namespace: string, name: string, container: string): string | undefined =>
      ruleFor(objects, namespace, name, rules => ruleOfContainer(rules, container))?.logsFile
    expect(fileOf('default', 'web', 'a')).to.equal('web-a')
    // An object of the pod's own decides alone.
    expect(fileOf('default', 'web', 'b')).to.equal(undefined)
    expect(fileOf('other', 'web', 'b')).to.equal('other')
    expect([fileOf('default', 'api', 'b'), fileOf('default', 'api', 'x'), fileOf('default', 'api', 'c')]).to.deep.equal([
      'api-b',
      'any',
      'c',
    ])
  })

  it('are found by port', () => {
    const { rules } = forwardsOf(object('PortForward', { forwards: [{ command: ['any'] }, { ports: [80], command: ['http'] }] }))
    expect([ruleOfPort(rules, 80)?.command, ruleOfPort(rules, 81)?.command]).to.deep.equal([['http'], ['any']])
    expect(ruleOfPort([], 80)).to.equal(undefined)
  })

  it('are decoded in steps of one rule', () => {
    const logs = Array.from({ length: 10 }, () => ({ text: 'a' }))
    expect([...decodeLogs(object('Logs', { logs }))]).to.have.lengthOf(10)
  })
})
