// Text tables of other programs: their numbers are read correctly, or refused with their position.
import { describe, expect, it } from 'vitest';
import { expectRefused, only, text } from './stored-files.js';

const read = async (table: string) => {
  const { values, held } = await only(text(table), 'x.csv');
  const width = held[1]!;
  return Array.from({ length: held[0]! }, (_, i) => values.slice(i * width, (i + 1) * width));
};
const refused = (table: string, says: string) => expectRefused(text(table), 'x.csv', says);

describe('tables', () => {
  it('keep a first row of words for what is no number', async () => {
    expect(await read('-nan,-nan\n1,2')).toEqual([
      [NaN, NaN],
      [1, 2],
    ]);
    const missing = [
      ...['NA', 'nan', 'NaN', '-NaN', '+nan', 'N/A', 'n/a', '#N/A', '#NA', '<NA>', 'null', 'NULL'],
      ...['None', 'nil', 'nan(0x8000)', '-nan(ind)', 'nan(snan)', '1.#QNAN', '-1.#IND', '1.#IND00'],
      ...['1.#SNAN', 'missing', 'undefined', 'NaT', ''],
    ];
    for (const word of missing) {
      expect(await read(`${word},${word}\n1,2`), word).toEqual([
        [NaN, NaN],
        [1, 2],
      ]);
    }
    const infinite = ['inf', 'Inf', '+inf', 'Infinity', '+Infinity', '1.#INF', '+1.#INF000', '∞'];
    for (const word of infinite) {
      const negative = `-${word.replace('+', '')}`;
      expect(await read(`${word} ${negative}\n1 2`), word).toEqual([
        [Infinity, -Infinity],
        [1, 2],
      ]);
    }
  });

  it('have numbers as C, Fortran, R and spreadsheets write them', async () => {
    expect(await read('1.0D+05,-2.5d-1,0.1+003,1E2')).toEqual([
      [1e5, -0.25, Math.fround(100), 100],
    ]);
    expect(await read('"1","-2.5"\n"3","+.5"')).toEqual([
      [1, -2.5],
      [3, 0.5],
    ]);
    expect(await read('1.,-0,+3,1e-50\n007,1e50,2,3')).toEqual([
      [1, -0, 3, 0],
      [7, Infinity, 2, 3],
    ]);
    expect(await only(text('True,FALSE\nfalse,true'), 'x.csv')).toMatchObject({
      ...{ type: 'bool', values: [1, 0, 0, 1] },
    });
    expect(await only(text('true,2'), 'x.csv')).toMatchObject({ type: 'float64', values: [1, 2] });
  });

  it('have decimal commas beside semicolons and tabs', async () => {
    const rows = [
      [1.5, -2.25],
      [3, 0.5],
    ];
    expect(await read('1,5;-2,25\n3;,5')).toEqual(rows);
    expect(await read('x;y\r\n1,5;-2,25\r\n3;5e-1\r\n')).toEqual(rows);
    expect(await read('1,5\t-2,25\n3\t,5')).toEqual(rows);
    expect(await read('sep=;\n1,5;-2,25\n3;,5')).toEqual(rows);
    await refused('1.5;2\n3;2,5', 'line 2, column 2: "2,5" has "," where others have "."');
    await refused('1.234,5;2', 'line 1, column 1: "1.234,5" is no number');
  });

  it('have any ends of lines and separators, at the end of lines, too', async () => {
    const rows = [
      [1, 2],
      [3, 4],
    ];
    for (const table of [
      ...['1,2\r\n3,4\r\n', '1,2\r3,4', '\uFEFF1,2\n3,4', '1,2\n\n  \n3,4\n\n', ' 1 , 2\n3,4 '],
      ...['1\t2\n3\t4', '1;2\n3;4', '  1   2\n  3   4', '1 \t 2\n3 \t 4', 'a,b\n1,2\n3,4'],
      ...['1,2,\n3,4,\n', 'a,b,\n1,2,\n3,4,', 'a,b\n1,2,\n3,4,', '"1";"2";\n"3";"4";'],
      ...['# numpy.savetxt\n1.0e+00 2.0e+00\n3 4', '1 2 # one\n3 4 # two', '# a, b\n1,2\n#\n3,4'],
    ]) {
      expect(await read(table), table).toEqual(rows);
    }
    expect(await read('a,b,c\n1,2,\n3,4,')).toEqual([
      [1, 2, NaN],
      [3, 4, NaN],
    ]);
    expect(await read('1,\n2,3')).toEqual([
      [1, NaN],
      [2, 3],
    ]);
    expect(await read('learning rate\n0.5\n0.25')).toEqual([[0.5], [0.25]]);
    expect(await read('"time, s",v\n1,2')).toEqual([[1, 2]]);
    expect(await read('"a\nb","c ""d"""\n1,2')).toEqual([[1, 2]]);
  });

  it('are read without the names of rows that pandas and R write', async () => {
    const rows = [
      [0.5, 0.25],
      [1, 2],
    ];
    for (const table of [
      ...[
        ',a,b\n0,0.5,0.25\n1,1,2',
        ',0,1\n0,0.5,0.25\n1,1,2',
        '""\t"a"\t"b"\nx\t0.5\t0.25\ny\t1\t2',
      ],
      ...[',Unnamed: 0,a,b\n0,0,0.5,0.25\n1,1,1,2', 'Unnamed: 0,a,b\n0,0.5,0.25\n1,1,2'],
      ...['"","V1","V2"\n"1",0.5,0.25\n"2",1,2', '"V1" "V2"\n"1" 0.5 0.25\n"2" 1 2'],
      ...[
        'V1 V2\n1 0.5 0.25\n2 1 2',
        '"V1","V2"\n"x",0.5,0.25\n"y",1,2',
        ';a;b\n0;0,5;0,25\n1;1;2',
      ],
    ]) {
      expect(await read(table), table).toEqual(rows);
    }
    // A column is data if it has a name, or if a row has no name above it.
    expect(await read('n,a\n0,5\n1,6')).toEqual([
      [0, 5],
      [1, 6],
    ]);
    expect(await read(',1\n2,3')).toEqual([
      [NaN, 1],
      [2, 3],
    ]);
  });

  it('are refused where a row may be names or data', async () => {
    await refused(
      ',2019,2020\n0,1,2\n1,3,4',
      'line 1, column 1: is empty, and the row may be names',
    );
    await refused(',0,1\n5,1,2\n2,3,4', 'line 1, column 1: is empty, and the row may be names');
    await refused('"2019","2020"\n1,2', 'line 1, column 1: "2019" may be a name or a number');
    await refused('x,1\n2,3', 'line 1, column 1: "x" is no number');
    await refused('1,x\n2,3', 'line 1, column 2: "x" is no number');
    await refused('a,b\n1,2,3\n4,5,6', 'line 2 has 3 cells, the names of columns in line 1 are 2');
    await refused('a,b\nc,d\n1,2', 'line 2, column 1: "c" is no number');
    for (const cell of [
      '1_000',
      '0x10',
      '$5',
      '5%',
      '1.2.3',
      '(1+2j)',
      '****',
      '2020-01-01',
      '½',
    ]) {
      const shown = JSON.stringify(cell);
      await refused(`${cell};${cell}\n1;2`, `line 1, column 1: ${shown} is no number`);
      await refused(`1;2\n3;${cell}`, `line 2, column 2: ${shown} is no number`);
    }
  });

  it('are refused where they are malformed, with the place', async () => {
    await refused('1,2\n\n3', 'line 3 has 1 numbers, those before it have 2');
    await refused('1,"2\n3,4', 'line 1, column 2: the quotes do not end');
    await refused('1,"2"3\n', 'line 1, column 2: something follows the quotes');
    await refused('"a\n\nb",c\n1,x', 'line 4, column 2: "x" is no number');
    await refused('1,5\n2;5', 'line 2 has 2 numbers, those before it have 1');
    await refused('#DIV/0!,1\n2,3', 'line 1, column 1: "#DIV/0!" is no number');
    await refused('a,b\n', 'there are no numbers');
  });

  // A size at which quadratic work would exceed the limit, which is a hundred times the time needed.
  it('are looked at once, whatever they hold', async () => {
    const many = 2 ** 19;
    for (const table of [
      ...[
        `${'1'.repeat(many)}x`,
        `${'1'.repeat(many)}e`,
        `1${' '.repeat(many)}x`,
        '-'.repeat(many),
      ],
      ...['"'.repeat(many + 1), '"x'.repeat(many), `1${'#'.repeat(many)}`, `${'1,'.repeat(many)}x`],
      ...[
        `"${'""'.repeat(many)}`,
        `x${' #'.repeat(many)}`,
        `${','.repeat(many)}x\n`,
        '1.'.repeat(many),
      ],
    ]) {
      await expectRefused(text(table), 'x.csv', /./);
    }
    for (const json of [
      ...[`${'1'.repeat(many)}x`, `[NaN, ${'"\\"'.repeat(many)}`, `x${'\\"'.repeat(many)}`],
      ...[`[NaN, "${'\\"'.repeat(many)}`, '['.repeat(many), 'NaN'.repeat(many), '-'.repeat(many)],
      ...[`[NaN, "${'\\'.repeat(many + 1)}`, `["${'\\"'.repeat(many)}", NaN]`],
    ]) {
      await expectRefused(text(json), 'x.json', /./);
    }
    const { values } = await only(text(`[${'NaN, '.repeat(many / 8)}1]`), 'x.json');
    expect(values.length).toBe(many / 8 + 1);
  }, 300_000);
});
