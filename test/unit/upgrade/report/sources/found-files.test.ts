import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { reportOn } from '../../../../../src/upgrade/report/report.ts'
import { examineFiles } from '../../../../../src/upgrade/report/sources/files.ts'
import { ReleaseKinds } from '../../../../../src/upgrade/versions/release-kinds.ts'
import { quietWatch } from '../../../../support/input-watch.ts'

const OLD = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n'
const NOT_SERVED = 'policy/v1beta1 PodDisruptionBudget is not served by 1.36'
const BROKEN = 'apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: b}\nspec: [\n'

/** Files of a folder, and the findings: level, file, line and message. */
const cases: readonly { readonly what: string; readonly files: Readonly<Record<string, string>>; readonly found: readonly string[] }[] = [
  {
    what: 'manifests by content, whatever their names',
    files: {
      rendered: OLD,
      'a.yaml.in': `# $IMAGE\n${OLD}`,
      'items.txt': `kind: List\napiVersion: v1\nitems:\n- ${OLD.trimEnd().replaceAll('\n', '\n  ')}\n`,
      'b.json_content': JSON.stringify({ apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec: {} }),
    },
    found: [
      `blocking a.yaml.in:2 ${NOT_SERVED}`,
      `blocking b.json_content:1 ${NOT_SERVED}`,
      `blocking items.txt:4 ${NOT_SERVED}`,
      `blocking rendered:1 ${NOT_SERVED}`,
    ],
  },
  {
    what: 'nothing in files that are not manifests',
    files: {
      'README.md': `# Example\n\n\`\`\`yaml\n${OLD}\`\`\`\n\n- one: {{ two }}\n`,
      'data.json': '{"rating": 5}\n{"rating"\n',
      'a.tar': `\0${OLD}`,
      'main.go': 'package main\n\nvar apiVersion: string\n',
    },
    found: [],
  },
  {
    what: 'the documents beside one that is not YAML, and the version in that one',
    files: { 'a.yaml': `${OLD}---\n# rendered\n${BROKEN}---\n${OLD}---\n${BROKEN}` },
    found: [
      `blocking a.yaml:1 ${NOT_SERVED}`,
      'blocking a.yaml:7 extensions/v1beta1 Deployment is not served by 1.36',
      `blocking a.yaml:12 ${NOT_SERVED}`,
      'blocking a.yaml:17 extensions/v1beta1 Deployment is not served by 1.36',
      'warning a.yaml:10 yaml: line 10: did not find expected node content',
      'warning a.yaml:20 yaml: line 20: did not find expected node content',
    ],
  },
  {
    what: 'the versions in templates, which may be incomplete within blocks',
    files: {
      'chart/Chart.yaml': 'name: chart\n',
      'chart/templates/a.yaml': `{{- if .Values.on }}\n${OLD}{{- end }}\n---\n${OLD.replace('name: a', 'name: {{ .Release.Name }}')}`,
      'chart/templates/b.yaml': `{{- if .Values.old }}\n${OLD.split('\n')[0]}\n{{- else }}\napiVersion: policy/v1\n{{- end }}\nkind: PodDisruptionBudget\n`,
    },
    found: [
      `blocking chart/templates/a.yaml:8 ${NOT_SERVED}`,
      'warning chart/templates/a.yaml:1 this is a template ({{ … }})',
      `warning chart/templates/a.yaml:2 ${NOT_SERVED}`,
      'warning chart/templates/b.yaml:1 this is a template ({{ … }})',
    ],
  },
]

describe('files that an upgrade report examines', () => {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  for (const { what, files, found } of cases)
    it(`have ${what}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'binnacle-report-'))
      folders.push(folder)
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      const { findings } = await reportOn([examineFiles([folder], new ReleaseKinds('1.36'), quietWatch())], { from: '1.24', to: '1.36' })
      const texts = findings.map(
        ({ level, place: { file = '', line }, message }) => `${level} ${relative(folder, file)}:${line} ${message}`,
      )
      expect(texts.map((text, i) => (text.startsWith(found[i] ?? '-') ? found[i] : text))).to.deep.equal(found)
    })

  it('include files that are named, even if they do not look like manifests', () => {
    const folder = mkdtempSync(join(tmpdir(), 'binnacle-report-'))
    folders.push(folder)
    writeFileSync(join(folder, 'notes'), 'a: [')
    expect(examineFiles([join(folder, 'notes')], new ReleaseKinds('1.36'), quietWatch()).findings.map(({ rule }) => rule)).to.deep.equal([
      'unreadable',
    ])
    expect(examineFiles([folder], new ReleaseKinds('1.36'), quietWatch()).findings).to.deep.equal([])
  })
})
