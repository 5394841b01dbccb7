import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pluginConfiguration, readAdmissionConfiguration } from '../../../src/admission/configuration-file.ts'
import { pluginsInOrder } from '../../../src/admission/plugin-names.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n'
const FAILED = 'failed to apply admission: failed to read plugin config: '

describe('the file of --admission-control-config-file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-admission-'))
  const file = join(directory, 'admission.yaml')
  after(() => rmSync(directory, { recursive: true }))

  /** The plugin configurations and the warnings of a file. */
  const read = async (text: string): Promise<Record<string, string>> => {
    writeFileSync(file, text)
    const warned: Record<string, string> = {}
    const found = await readAdmissionConfiguration(file, pluginsInOrder(), (message, { plugin }) => {
      warned[plugin] = message
    })
    return { ...Object.fromEntries([...found].map(([plugin, bytes]) => [plugin, String(bytes)])), ...warned }
  }
  const refusal = async (text: string): Promise<string> => read(text).then(JSON.stringify, (error: Error) => error.message)

  it('returns inline configurations as JSON', async () =>
    expect(await read(`${HEAD}plugins:\n- name: LimitRanger\n  configuration: {b: 1.0, a: [x, null]}\n- name: Priority\n`)).to.deep.equal({
      LimitRanger: '{"a":["x",null],"b":1}',
    }))
  it('accepts the older apiVersion', async () =>
    expect(await read('apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\nplugins: []\n')).to.deep.equal({}))
  it('reads referenced files relative to its own folder', async () => {
    writeFileSync(join(directory, 'limits.yaml'), 'a: b\n')
    const text = `${HEAD}plugins:\n- {name: LimitRanger, path: limits.yaml}\n- {name: Priority, path: ${join(directory, 'limits.yaml')}}\n`
    expect(await read(text)).to.deep.equal({ LimitRanger: 'a: b\n', Priority: 'a: b\n' })
  })
  it('uses the first entry of a plugin, and inline configuration before a path', async () =>
    expect(
      await read(`${HEAD}plugins:\n- {name: LimitRanger, path: missing, configuration: {}}\n- {name: LimitRanger, path: missing}\n`),
    ).to.deep.equal({
      LimitRanger: '{}',
    }))
  it('ignores null', async () => expect(await read(`${HEAD}plugins:\n- {name: LimitRanger, configuration: null}\n`)).to.deep.equal({}))
  it('ignores configurations of disabled plugins', async () =>
    expect(await read(`${HEAD}plugins:\n- {name: PodNodeSelector, path: missing}\n`)).to.deep.equal({}))
  it('warns of unknown plugin names', async () =>
    expect(await read(`${HEAD}plugins:\n- {name: Foo, path: missing}\n`)).to.deep.equal({
      Foo: 'the admission configuration names a plugin that does not exist',
    }))

  const wrong: [text: string, why: string][] = [
    ['', "Object 'Kind' is missing in ''"],
    ['{}', "Object 'Kind' is missing in '{}'"],
    ['kind: AdmissionConfiguration', "Object 'apiVersion' is missing in 'kind: AdmissionConfiguration'"],
    ['apiVersion: v1\nkind: Pod', 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"'],
    [
      'apiVersion: apiserver.config.k8s.io/v1alpha1\nkind: AdmissionConfiguration',
      'no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v1alpha1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    [
      `${HEAD}foo: 1\nplugins: [{name: a, bar: 1, name: b}]`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "name" already set in map, unknown field "foo", unknown field "plugins[0].bar"',
    ],
    [
      `${HEAD}plugins: 1`,
      'json: cannot unmarshal number into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration',
    ],
    [
      `${HEAD}plugins:\n- name: 1`,
      'json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string',
    ],
    ['foo: [', 'yaml: line 1: did not find expected node content'],
  ]
  for (const [text, why] of wrong) it(`is refused: ${why.slice(0, 90)}`, async () => expect(await refusal(text)).to.equal(FAILED + why))

  it('names an unreadable configuration file', async () => {
    const missing = join(directory, 'missing')
    const error = await readAdmissionConfiguration(missing, [], () => {}).catch((thrown: Error) => thrown)
    expect(error)
      .to.have.property('message')
      .that.matches(
        /^failed to apply admission: failed to read plugin config: unable to read admission control configuration from ".*missing" \[.*\]$/,
      )
  })
  it('names an unreadable file of a plugin', async () =>
    expect(await refusal(`${HEAD}plugins: [{name: LimitRanger, path: missing}]\n`)).to.match(
      /^failed to apply admission: couldn't open admission plugin configuration \/.*\/missing: /,
    ))

  describe('pluginConfiguration', () => {
    const types = new TypeRegistry().add({
      id: 'sample',
      definition: 'v1',
      source: 'package sample v1 untyped\n\ntype Sample typemeta\n  size - int32?\n',
    })
    const decoded = (text: string) =>
      pluginConfiguration(new Map([['LimitRanger', Buffer.from(text)]]), 'LimitRanger', (version, kind) =>
        version === 'v1' && kind === 'Sample' ? types.type('sample.Sample') : undefined,
      )
    it('decodes by type', () =>
      expect(decoded('{"apiVersion":"v1","kind":"Sample","size":3}')).to.deep.equal({ apiVersion: 'v1', kind: 'Sample', size: 3 }))
    it('accepts an absent configuration and an empty file', () => {
      expect(pluginConfiguration(new Map(), 'LimitRanger', () => undefined)).to.equal(undefined)
      expect(decoded('')).to.equal(undefined)
    })
    it('names the plugin in errors', () =>
      expect(() => decoded('{"size":1}')).to.throw(
        "couldn't init admission plugin \"LimitRanger\": Object 'Kind' is missing in '{\"size\":1}'",
      ))
  })
})
