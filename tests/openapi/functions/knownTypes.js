// A rule of spectral.yaml: the schema of an error names types, each of which is one of ProblemType,
// and a status that fits.
'use strict';

module.exports = (schema, _options, context) => {
  const known = context.document.data.components.schemas.ProblemType.enum;
  const parts = schema.allOf ?? [];
  const named = parts.flatMap(part => (part === parts[0] ? [] : part.properties?.type?.enum ?? []));
  if (named.length === 0) return [{message: 'The error names no type.'}];
  const wrong = named.filter(type => !known.includes(type)).map(type => ({message: `${type} is unknown.`}));
  const at = String(context.path[context.path.indexOf('responses') + 1]);
  const status = parts.map(part => part.properties?.status?.const).find(value => value !== undefined);
  if (at !== 'default' && String(status) !== at) wrong.push({message: `It says ${status}, and stands at ${at}.`});
  return wrong;
};
