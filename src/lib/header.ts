/** Name and value of an HTTP header, as they are sent. */
export type Header = readonly [name: string, value: string]
