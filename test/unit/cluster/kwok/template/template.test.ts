import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../../../src/api/meta/object.ts'
import { TemplateError } from '../../../../../src/cluster/kwok/template/errors.ts'
import { compileTemplate, functionsIn, functionsWith } from '../../../../../src/cluster/kwok/template/template.ts'
import { parseYaml } from '../../../../../src/codec/yaml.ts'
import { PLACEHOLDERS } from '../../../../support/kwok-placeholders.ts'

/** A template with kwok's result. */
interface TemplateCase {
  readonly template: string
  readonly expect: { readonly text?: string; readonly error?: string }
}

const { data, cases } = JSON.parse(readFileSync('test/fixtures/kwok/templates.json', 'utf8')) as { data: Json; cases: TemplateCase[] }

const render = (template: string, object: Json = data): string => compileTemplate(template).text(object, PLACEHOLDERS)

/** Returns a value, or undefined for any error. */
function outcome(run: () => Json): Json | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

describe('a template', () => {
  for (const { template, expect: answer } of cases)
    it(`has the result of text/template and sprig: ${JSON.stringify(template)}`, () => {
      if (answer.error === undefined) expect(render(template)).to.equal(answer.text)
      else expect(() => render(template)).to.throw(TemplateError, /^template: line \d+: /)
    })

  const refused: readonly [template: string, message: string][] = [
    ['{{ env "HOME" }}', 'template: line 1: function "env" is not supported'],
    ['a\n{{ .a }}\n{{ getHostByName "x" }}', 'template: line 3: function "getHostByName" is not supported'],
    ['{{ if .a }}', 'template: line 1: {{if}} without {{end}}'],
    ['\n{{ fail "no" }}', 'template: line 1: error calling fail: no'],
    ['{{ .a }\n', 'template: line 1: unexpected "}" in action'],
    ['x'.repeat(100_001), 'a template may have at most 100000 characters'],
    [`${'{{if .}}'.repeat(150)}${'{{end}}'.repeat(150)}`, 'template: line 1: actions are nested too deeply'],
    [`{{ ${'('.repeat(150)}1${')'.repeat(150)} }}`, 'template: line 1: expressions are nested too deeply'],
  ]
  for (const [template, message] of refused)
    it(`is refused with its line: ${template.slice(0, 40)}`, () => {
      expect(() => render(template)).to.throw(TemplateError, message)
    })

  const endless: readonly [template: string, message: string][] = [
    ['{{ range until 9000 }}{{ range until 9000 }}x{{ end }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', 'exceeded maximum template depth (50)'],
    ['{{ $x := repeat 200000 "x" }}{{ range 9 }}{{ $x }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ repeat 2000000 "x" }}', 'the text is too long'],
    ['{{ repeat 1000 "\\n" | indent 900000 }}', 'the text is too long'],
    ['{{ until 10000 | join (repeat 90000 "x") }}', 'the text is too long'],
    ['{{ $x := repeat 900000 "x" }}{{ $y := printf "%s%s" $x $x }}', 'rendering takes more than 20000 steps'],
    // Functions that read much in each of their calls.
    ['{{ $l := until 9000 }}{{ range until 300 }}{{ $x := has -1 $l }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ $s := repeat 100000 "x" }}{{ range until 200 }}{{ $x := sha512sum $s }}{{ end }}', 'rendering takes more than 20000 steps'],
    [
      '{{ $s := repeat 100000 "x" }}{{ $t := repeat 100000 "x" }}{{ range until 200 }}{{ $x := eq $s $t }}{{ end }}',
      'rendering takes more than 20000 steps',
    ],
    ['{{ $s := repeat 100000 "x" }}{{ range until 200 }}{{ $x := split "" $s }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ $l := until 9000 }}{{ range until 300 }}{{ $x := rest $l }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ $l := until 9000 }}{{ range until 300 }}{{ range $l }}{{ break }}{{ end }}{{ end }}', 'rendering takes more than 20000 steps'],
    ['{{ $d := dict "a" 1 }}{{ range until 40 }}{{ $d = list $d $d }}{{ end }}{{ $d }}', 'rendering takes more than 20000 steps'],
    ['{{ $d := dict "a" 1 }}{{ range until 40 }}{{ $d = list $d $d }}{{ end }}{{ deepCopy $d }}', 'rendering takes more than 20000 steps'],
    ['{{ regexFindAll "x*y|x" (repeat 5000 "x") -1 }}', 'the text is too long for the regular expression'],
    ['{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}', 'the value is nested too deeply'],
    ['{{ range 100000 }}{{ end }}', 'rendering takes more than 20000 steps'],
  ]
  for (const [template, message] of endless)
    it(`ends if its work or output has no bound: ${template}`, () => {
      expect(() => render(template)).to.throw(TemplateError, message)
    })

  it('ends if a map of very many members is read again and again', () => {
    const map = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`k${i}`, i]))
    const read = (text: string) => compileTemplate(text).text({ map }, functionsWith({}))
    for (const call of ['len .', 'keys .', 'merge (dict) .', 'printf "%v" .', 'toJson .', 'uniq (list .)', 'pick . "k1"'])
      expect(() => read(`{{ range until 300 }}{{ with $.map }}{{ $x := ${call} }}{{ end }}{{ end }}`), call).to.throw(
        TemplateError,
        'steps',
      )
    for (const call of ['get . "k1"', 'index . "k1"', 'hasKey . "k1"', 'default 1 .', 'not .'])
      expect(read(`{{ range until 300 }}{{ with $.map }}{{ $x := ${call} }}{{ end }}{{ end }}`), call).to.equal('')
  })

  it('is not parsed as YAML if its output is very long', () => {
    expect(() => compileTemplate('{{ range 9000 }}- {a: b}\n{{ end }}').value({}, functionsWith({}))).to.throw(
      TemplateError,
      'the template renders more than 65536 characters',
    )
  })

  it('changes maps that it has made, and never the object', () => {
    expect(render('{{ $d := dict "a" 1 }}{{ $_ := set $d "b" 2 }}{{ $d }}')).to.equal('map[a:1 b:2]')
    expect(render('{{ $m := deepCopy .spec }}{{ $_ := unset $m "l" }}{{ hasKey $m "l" }} {{ hasKey .spec "l" }}')).to.equal('false true')
    expect(() => render('{{ set .spec "l" 1 }}')).to.throw(
      TemplateError,
      'the map is part of the object and cannot be changed: use deepCopy',
    )
  })

  it('reads time, addresses and names from its environment', () => {
    const functions = functionsIn({
      now: () => '2030-01-02T03:04:05Z',
      startTime: '2030-01-01T00:00:00Z',
      version: '1.2',
      nodeIP: () => '10.0.0.1',
      nodeName: () => 'node-1',
      nodePort: () => 10250,
      nodeIPsWith: name => (name === 'node-1' ? ['10.0.0.1', 'fd00::1'] : []),
      podIP: () => '10.1.0.9',
      podIPsWith: (node, hostNetwork, uid, name, namespace) => [`${node}/${hostNetwork}/${uid}/${name}/${namespace}`],
    })
    const text = (template: string): string => compileTemplate(template).text({}, functions)
    expect(text('{{ Now }} {{ StartTime }} {{ Version }} {{ NodeIP }} {{ NodeName }} {{ NodePort }} {{ PodIP }}')).to.equal(
      '2030-01-02T03:04:05Z 2030-01-01T00:00:00Z 1.2 10.0.0.1 node-1 10250 10.1.0.9',
    )
    expect(text('{{ NodeIPWith "node-1" }} {{ NodeIPsWith "node-1" }} {{ NodeIPWith "x" | Quote }}')).to.equal(
      '10.0.0.1 [10.0.0.1 fd00::1] ""',
    )
    expect(text('{{ PodIPWith "n" true "u" "p" "ns" }} {{ PodIPsWith "n" false "" "p" "" }}')).to.equal('n/true/u/p/ns [n/false//p/]')
    expect(() => text('{{ NodeIPWith .spec.nodeName }}')).to.throw(TemplateError, 'invalid value; expected string')
  })

  it('is parsed as YAML, with the line of an error', () => {
    const value = (template: string): Json => compileTemplate(template).value({ name: 'a"b' }, PLACEHOLDERS)
    expect(value('name: {{ .name | Quote }}\nlist:\n{{ YAML (list 1 "x") 1 }}')).to.deep.equal({ name: 'a"b', list: [1, 'x'] })
    expect(value('')).to.equal(null)
    expect(() => value('a: [')).to.throw(TemplateError, 'the template renders invalid YAML: ')
    expect(() => value('a: 1\na: 2')).to.throw(TemplateError, 'the template renders invalid YAML: ')
  })

  const shapes: readonly (readonly [title: string, template: string])[] = [
    ['a value', 'name: {{ .name | Quote }}\nlist:\n- {{ Quote .name }}\n- {{ .n | Quote }}'],
    ['a name', '{{ .name | Quote }}: 1'],
    ['a part of another text', "a: 'x {{ .name | Quote }}'\nb: |\n  y {{ .name | Quote }}"],
    ['a comment', 'a: 1 # {{ .name | Quote }}'],
    ['a tagged scalar', 'a: !!str {{ .name | Quote }}'],
    ['an argument of another function', 'a: {{ .name | Quote | len }}'],
    ['a value beside marks of the private use area', 'a: {{ .mark }}\nb: {{ .name | Quote }}'],
  ]
  for (const [title, source] of shapes)
    it(`has the value of its text, whatever was rendered before, if a quoted text is ${title}`, () => {
      const template = compileTemplate(source)
      for (const name of ['plain', '', 'é', 'a"b', '\u0085', '<&>', '\u2028', '{{', 'yes', '0', '\ue0000\ue000', 'plain'])
        for (const n of [1, 2]) {
          const object = { name, n, mark: '\ue0000\ue000' }
          const text = template.text(object, PLACEHOLDERS)
          expect(outcome(() => template.value(object, PLACEHOLDERS))).to.deep.equal(outcome(() => parseYaml(Buffer.from(text)).value))
        }
    })

  it('returns values that share nothing', () => {
    const template = compileTemplate('a:\n  b: {{ .name | Quote }}')
    const [first, second] = [1, 2].map(() => template.value({ name: 'x' }, PLACEHOLDERS) as { a: Json })
    expect(first?.a).to.deep.equal(second?.a)
    expect(first?.a).to.not.equal(second?.a)
  })
})
