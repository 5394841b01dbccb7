/** Thrown for a template that cannot be parsed or rendered. The message names the line, and the function or field. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** Error of a function, without a position. The renderer adds it. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError'
}
