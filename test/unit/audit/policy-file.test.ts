import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPolicyFile } from '../../../src/audit/policy-file.ts'

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'
const STAGES = 'allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic'
const BOTH = 'rules cannot apply to both regular resources and non-resource URLs'

describe('readPolicyFile', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-audit-'))
  const file = join(directory, 'policy.yaml')
  after(() => rmSync(directory, { recursive: true }))

  const read = async (text: string): Promise<string[]> => {
    writeFileSync(file, text)
    const warnings: string[] = []
    return readPolicyFile(file, warning => warnings.push(warning)).then(
      ({ rules }) => [...warnings, JSON.stringify(rules)],
      (error: Error) => [...warnings, error.message],
    )
  }
  const refused = (why: string): string => `loading audit policy file: ${why}: from file ${file}`

  it('parses a policy', async () =>
    expect(await read(`${HEAD}omitStages: [Panic]\nrules:\n- level: Metadata\n  users: [a]\n`)).to.deep.equal([
      '[{"level":"Metadata","users":["a"]}]',
    ]))
  it('accepts a policy without a kind, and with unknown fields', async () =>
    expect(await read('apiVersion: audit.k8s.io/v1\nrules:\n- level: None\n  foo: 1\n')).to.deep.equal([
      'Audit policy contains errors, falling back to lenient decoding: strict decoding error: unknown field "rules[0].foo"',
      '[{"level":"None"}]',
    ]))

  const wrong: [string, string][] = [
    ['', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
    ['rules: [{level: None}]\n', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
    [
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n',
      'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    ['apiVersion: audit.k8s.io/v1\nkind: Event\n', 'failed decoding: converting (v1.Event) to (audit.Policy): unknown conversion'],
    [`${HEAD}rules: x\n`, 'failed decoding: json: cannot unmarshal string into Go struct field Policy.rules of type []v1.PolicyRule'],
    ['foo: [\n', 'failed decoding: yaml: line 1: did not find expected node content'],
    [HEAD, 'loaded illegal policy with 0 rules'],
    [`${HEAD}rules: [{}]\n`, 'rules[0].level: Required value'],
    [
      `${HEAD}rules: [{level: Foo}]\n`,
      'rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [`${HEAD}omitStages: [x]\nrules: [{level: None}]\n`, `omitStages[0]: Invalid value: "x": ${STAGES}`],
    [
      `${HEAD}rules: [{level: None, nonResourceURLs: [a, "/a*b", "*"], resources: [{resourceNames: [a]}], omitStages: [Panic, z]}]\n`,
      `[rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a '/' character, ` +
        `rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule, ` +
        'rules[0].resources.resourceNames: Invalid value: []string{"a"}: using resourceNames requires at least one resource, ' +
        `rules[0].omitStages[1]: Invalid value: "z": ${STAGES}, rules[0].nonResourceURLs: Invalid value: []string{"a", "/a*b", "*"}: ${BOTH}]`,
    ],
    [
      `${HEAD}rules: [{level: None, nonResourceURLs: [/x], namespaces: [a]}]\n`,
      `rules[0].nonResourceURLs: Invalid value: []string{"/x"}: ${BOTH}`,
    ],
  ]
  for (const [text, why] of wrong) it(`is refused: ${why.slice(0, 80)}`, async () => expect(await read(text)).to.deep.equal([refused(why)]))

  it('names a file that cannot be read', async () => {
    const missing = join(directory, 'missing')
    const message = await readPolicyFile(missing, () => {}).then(String, String)
    expect(message).to.include(`loading audit policy file: failed to read file path "${missing}": ENOENT`)
  })
})
