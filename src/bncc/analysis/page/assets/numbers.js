// Numbers as they are read.

export function fixed(value, digits) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

export const whole = (value) => value.toLocaleString("en-US");
export const compact = (value) => Number(value.toPrecision(4));
export const arrowed = (from, to, digits) => `${fixed(from, digits)} → ${fixed(to, digits)}`;

export function signed(value, digits) {
  return (value > 0 && Number(value.toFixed(digits)) !== 0 ? "+" : "") + fixed(value, digits);
}

export function seconds(value) {
  if (value === 0) return "0";
  if (value < 1) return `${Number((value * 1000).toPrecision(2))} ms`;
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} s`;
}

export function plural(count, one, many = `${one}s`) {
  return `${whole(count)} ${count === 1 ? one : many}`;
}
