/**
 * Evaluations of typical rules per second, beside those of cel-go if Go is installed, and the time that a call at the
 * cost limit takes. Run: node --import tsx test/bench/cel.ts
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../src/api/meta/object.ts'
import { compile } from '../../src/cel/compile.ts'
import { baseEnvironment, extend } from '../../src/cel/environment.ts'
import { makeProgram, type Program } from '../../src/cel/program/program.ts'
import { declareTypes } from '../../src/cel/schema/declared-type.ts'
import { schemaValue } from '../../src/cel/schema/schema-value.ts'
import type { Value } from '../../src/cel/values/value.ts'
import { nextTurn, turnIsSpent } from '../../src/lib/turn.ts'

const MILLIS = 300
const text: JsonSchemaProps = { type: 'string' }
const integer: JsonSchemaProps = { type: 'integer' }

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    name: text,
    min: integer,
    max: integer,
    replicas: integer,
    phase: text,
    image: text,
    host: text,
    memory: text,
    cidr: text,
    labels: { type: 'object', additionalProperties: text },
    ports: { type: 'array', items: { type: 'object', properties: { name: text, port: integer, protocol: text } } },
    args: { type: 'array', items: text },
    many: { type: 'array', items: integer },
    long: text,
  },
}

const self: Json = {
  name: 'web-frontend',
  min: 2,
  max: 10,
  replicas: 3,
  phase: 'Running',
  image: 'registry.example.com/team/web:1.2.3',
  host: 'www.example.com',
  memory: '512Mi',
  cidr: '10.1.0.0/16',
  labels: { app: 'web', tier: 'front', 'example.com/owner': 'team' },
  ports: [1, 2, 3, 4].map(i => ({ name: `port-${i}`, port: 8000 + i, protocol: 'TCP' })),
  args: Array.from({ length: 10 }, (_, i) => `--flag-${i}=value`),
  many: Array.from({ length: 370 }, (_, i) => i),
  long: 'ab-'.repeat(100_000),
}

const RULES = [
  'self.min <= self.max',
  'self.replicas >= self.min && self.replicas <= self.max',
  '!has(self.missing) || self.missing == self.name'.replaceAll('missing', 'phase'),
  "self.phase in ['Pending', 'Running', 'Failed']",
  'self.name.startsWith("web") && self.name.size() <= 63',
  "self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  'self.ports.all(p, p.port > 0 && p.port < 65536)',
  'self.ports.exists_one(p, p.name == "port-3")',
  'self.ports.all(p, self.ports.exists_one(q, q.name == p.name))',
  "self.args.map(a, a.split('=')[0]).filter(a, a.startsWith('--flag')).size() == 10",
  'self.labels.all(k, k.size() < 63 && self.labels[k] != "")',
  "quantity(self.memory).isLessThan(quantity('1Gi'))",
  "cidr(self.cidr).containsIP(ip('10.1.2.3'))",
  'self.image.contains(":") ? self.image.lastIndexOf(":") > self.image.lastIndexOf("/") : false',
]

/** Each costs some hundred thousand: a call may cost a million. */
const EXPENSIVE = [
  'self.many.all(x, self.many.all(y, x + y >= 0))',
  'self.many.filter(x, x < 100).map(x, self.many.map(y, x + y)).size() == 100',
  "self.long.matches('^(a|b|-)*$')",
  "self.long.findAll('b-a').size() > 1",
  "self.long.split('-').size() > 1",
]

const { type, struct } = declareTypes(schema, false, 'selfType')
const environment = extend(baseEnvironment(33), { self: type!, oldSelf: type! }, struct)
const activation = new Map<string, Value>([['self', schemaValue(self, schema)]])

function programOf(expression: string): Program {
  const { checked, issues } = compile(expression, environment)
  const program = checked && makeProgram(checked, environment)
  if (!program || 'fault' in program) throw new Error(`${expression}: ${issues}`)
  return program
}

/** Evaluations per second. */
function rate(program: Program): number {
  const run = (millis: number): number => {
    const start = performance.now()
    let count = 0
    while (performance.now() - start < millis) {
      for (let i = 0; i < 10; i++) program.evaluate(activation)
      count += 10
    }
    return (count * 1000) / (performance.now() - start)
  }
  run(MILLIS / 3)
  return run(MILLIS)
}

/** Evaluations per second of cel-go, which compiles a program for each. Empty if Go is not installed. */
function ratesOfGo(): Map<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'cel-bench-'))
  const file = join(folder, 'rules.json')
  writeFileSync(file, JSON.stringify([{ schema, self, results: RULES.map(expression => ({ expression })) }]))
  const cwd = new URL('../../hack/cel-answers', import.meta.url).pathname
  const { stdout } = spawnSync('go', ['run', './results', '-bench', String(MILLIS), file], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  })
  rmSync(folder, { recursive: true })
  return new Map(
    (stdout ?? '')
      .split('\n')
      .flatMap(line => (line.includes('\t') ? [[line.slice(line.indexOf('\t') + 1), Number.parseInt(line, 10)] as const] : [])),
  )
}

/** Milliseconds that the event loop is held at most while the program runs in turns. */
async function longestSlice(program: Program): Promise<number> {
  let longest = 0
  let begun = performance.now()
  const end = (): void => {
    longest = Math.max(longest, performance.now() - begun)
  }
  const next = async (): Promise<void> => {
    end()
    await nextTurn()
    begun = performance.now()
  }
  await nextTurn()
  begun = performance.now()
  await program.evaluateInTurns(activation, { spent: turnIsSpent, next })
  end()
  return longest
}

const beside = process.argv.includes('--alone') ? new Map<string, number>() : ratesOfGo()
console.log('evaluations per second, and how many times cel-go:')
for (const rule of RULES) {
  const ours = rate(programOf(rule))
  const theirs = beside.get(rule)
  const ratio = theirs ? `${(ours / theirs).toFixed(1)}x` : ''
  console.log(`${String(Math.round(ours)).padStart(9)}  ${ratio.padStart(6)}  ${rule}`)
}
console.log(
  'milliseconds for a cost of a million, if the expression goes on as it does; longest slice of the event loop as it is, in milliseconds:',
)
for (const expression of EXPENSIVE) {
  const program = programOf(expression)
  const { cost, error } = program.evaluate(activation)
  if (error !== undefined) throw new Error(`${expression}: ${error}`)
  const millis = (1000 / rate(program)) * (1_000_000 / cost)
  console.log(
    `${millis.toFixed(1).padStart(9)}  ${(await longestSlice(program)).toFixed(1).padStart(9)}  cost ${String(cost).padStart(7)}  ${expression}`,
  )
}
