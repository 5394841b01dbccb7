import { useEffect, useState } from 'preact/hooks'
import { PageHead } from '../parts.tsx'
import { ApiError, sendJson } from '../session.ts'

/** Response of `POST /binnacle/v1/console/cel`. */
interface Evaluated {
  /** Type of the result. Omitted if the expression does not compile. */
  readonly type?: string
  /** Bounds of the static cost, as decimal numbers. They may exceed the safe integers. */
  readonly estimate?: { readonly min: string; readonly max: string }
  readonly value?: string
  readonly cost?: number
  /** Error of the evaluation. Set instead of the value. */
  readonly error?: string
  /** Errors of the compiler. All other members are omitted then. */
  readonly issues?: string
}

/** Name, expression and variables of each example. The page begins with the first one. */
const EXAMPLES = [
  [
    'object and params',
    "object.spec.replicas <= params.max && object.metadata.name.startsWith('web')",
    '{\n  "object": { "metadata": { "name": "web-1" }, "spec": { "replicas": 3 } },\n  "params": { "max": 5 }\n}',
  ],
  [
    'lists',
    'self.items.all(i, i.weight > 0) && self.items.map(i, i.weight).sum() == 100',
    '{\n  "self": { "items": [{ "weight": 40 }, { "weight": 60 }] }\n}',
  ],
  [
    'quantities and patterns',
    "quantity(self.limit).isGreaterThan(quantity('1Gi')) || self.host.matches('^[a-z.]+$')",
    '{\n  "self": { "limit": "2Gi", "host": "example.com" }\n}',
  ],
] as const
/** Pause after the last keystroke. */
const WAIT_MS = 300

/** Evaluates expressions with given variables, with Kubernetes' environment and limits. */
export function CelPage() {
  const [expression, setExpression] = useState<string>(EXAMPLES[0][1])
  const [variables, setVariables] = useState<string>(EXAMPLES[0][2])
  const [result, setResult] = useState<Evaluated>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      const values = parseVariables(variables)
      if (values === undefined) {
        setProblem('The variables are not a JSON object.')
        return
      }
      sendJson<Evaluated>('POST', '/binnacle/v1/console/cel', { expression, variables: values }, ended.signal).then(
        answer => {
          setProblem('')
          setResult(answer)
        },
        (error: unknown) => {
          if (!ended.signal.aborted) setProblem(error instanceof ApiError ? error.message : String(error))
        },
      )
    }, WAIT_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [expression, variables])
  return (
    <section class="page" aria-label="CEL">
      <PageHead title="CEL" />
      <div class="page-body">
        <div class="actions">
          <span class="muted">Examples</span>
          {EXAMPLES.map(([name, example, values]) => (
            <button
              type="button"
              key={name}
              onClick={() => {
                setExpression(example)
                setVariables(values)
              }}
            >
              {name}
            </button>
          ))}
        </div>
        <label class="field">
          <span>Expression</span>
          <textarea rows={4} spellcheck={false} value={expression} onInput={({ currentTarget }) => setExpression(currentTarget.value)} />
        </label>
        <label class="field">
          <span>Variables (JSON)</span>
          <textarea rows={10} spellcheck={false} value={variables} onInput={({ currentTarget }) => setVariables(currentTarget.value)} />
        </label>
        <div aria-live="polite">{problem === '' ? result && <Result result={result} /> : <p class="bad">{problem}</p>}</div>
      </div>
    </section>
  )
}

/** Returns undefined if the text is no JSON object. An empty text has no variables. */
function parseVariables(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Prints the upper bound of an estimate. Without size limits of a schema it is about 2^64. */
const bound = (max: string): string =>
  max.length > 15 ? 'without an upper bound, as the values have no types' : `at most ${Number(max).toLocaleString('en')}`

/** Facts about an evaluation, or the errors of the compiler alone. */
function Result({ result: { type, estimate, value, cost, error, issues } }: { readonly result: Evaluated }) {
  if (issues !== undefined) return <pre class="text bad">{issues}</pre>
  return (
    <dl class="facts">
      <dt>Value</dt>
      <dd>{error === undefined ? <pre class="text good">{value}</pre> : <pre class="text bad">{error}</pre>}</dd>
      <dt>Type</dt>
      <dd>
        <code>{type}</code>
      </dd>
      <dt>Cost</dt>
      <dd>{cost?.toLocaleString('en')} of at most 1,000,000 for one expression</dd>
      <dt>Estimate</dt>
      <dd>
        at least {estimate?.min}, {bound(estimate?.max ?? '')}
      </dd>
    </dl>
  )
}
