/**
 * A regular expression that may take more than linear time, because it never sees a text of a client, a backend or a
 * file.
 */
export interface ExemptRegExp {
  readonly path: string
  /** The literal, or the code of one that is made at run time. */
  readonly shown: string
  /** Source of the texts that it reads. */
  readonly reason: string
}

export const EXEMPT_REGEXPS: readonly ExemptRegExp[] = [
  {
    path: 'src/cel/declarations.ts',
    shown: '/^\\s*(\\S+): (\\.?)(\\S+?)\\((.*)\\) -> (.+)$/',
    reason: 'reads the signatures of functions that src/cel declares',
  },
  {
    path: 'src/config/metrics-config.ts',
    shown: '/"(?:[^"]|"")*"|[^,]+/g',
    reason: 'reads the flag --allow-metric-labels',
  },
  {
    path: 'src/lib/regexp-syntax.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code of the expression
    shown: "new RegExp(`\\\\p{Script=${name}}`, 'u')",
    reason: 'is compiled to ask whether a script of that name exists, and never run',
  },
]
