// The codecs of all chapters, and for each a link in which no field is at its default.
import * as attend from '../../web/src/state/attend.ts';
import * as average from '../../web/src/state/average.ts';
import * as block from '../../web/src/state/block.ts';
import * as check from '../../web/src/state/check.ts';
import * as heads from '../../web/src/state/heads.ts';
import * as home from '../../web/src/state/home.ts';
import * as learn from '../../web/src/state/learn.ts';
import * as longer from '../../web/src/state/longer.ts';
import * as mask from '../../web/src/state/mask.ts';
import * as meaning from '../../web/src/state/meaning.ts';
import * as model from '../../web/src/state/model.ts';
import * as multiply from '../../web/src/state/multiply.ts';
import * as tour from '../../web/src/state/tour.ts';
import * as towers from '../../web/src/state/towers.ts';
import * as write from '../../web/src/state/write.ts';

interface Codec {
  readonly defaults: object;
  readonly decode: (query: string) => {
    readonly state: object;
    readonly problems: readonly { readonly field: string; readonly found: string }[];
  };
  readonly encode: (state: never) => string;
}
export const codecs: Record<string, Codec> = {
  ...{ attend, average, block, check, heads, home, learn, longer, mask, meaning, model },
  ...{ multiply, tour, towers, write },
};

/** Every field of every chapter, none at its default, in today's form. */
export const full: Record<string, string> = {
  attend:
    'by=characters&text=a+b&head=previous&strict=4.5&mask=none&step=scores&moves=yes&laid=yes&pin=scores.1.2&edits=wq~0~7~3!wk~1~2~-0.5&across=3&up=12&scores=1,2,3,4.5&added=-120&width=3&seed=9999&softmaxPin=naive.0.3',
  average:
    'x=2,7;6,4;6,5.25&y=1,-2;3,0;-4,8000&batch=2&show=sums&hidden=3&pin=ones.2.1&scores=1,2,3,4&weights=0,0.5,-1,2&blend=free',
  block:
    'text=a+b+c&norm=pre&positions=rotary&activation=gelu&mask=causal&off=norm1,residual2&seed=12&stage=hidden&head=2&edits=0.1~2.5!3.7~-0.001&pin=x.0.1&given=1,2;3,4&normPin=normed.0.1&order=shuffle&shufflePin=gap.1.1&measure=spread&scale=own',
  check:
    'bug=3&pin=gap.1.2&example=block&kind=multiHead&causal=no&of=d_weight&heads=4&norm=pre&activation=gelu_tanh&tolerance=4&sample=noScale&seed=77',
  heads:
    'text=a+b&batch=2&into=4&word=13&step=3&projection=v&writers=0101&layer=1&head=4&pin=map2.1.2&pair=chosen.3.4',
  home: 'say=a+b&like=previous&word=2&why=1',
  learn:
    'rate=10&steps=12&all=yes&pin=dwq.1.2&nudge=-1.5&task=fixed&seed=77&head=1&at=96&change=norm&pair=5',
  longer:
    'source=same&seed=4&tokens=12&mask=strided&queries=8&keys=1&step=17&pin=block.1.2&edits=q~0~1~2.5!v~3~2~-1&map=identity&linearPin=soft.2.1&head=random&rank=64',
  mask: 'text=x+y&by=numbers&rules=window,drawn&length=3&left=0&right=12&local=5&stride=2&drawn=2.9&hide=zero&scores=equal&seed=5&pin=mask.1.0&cut=3&garbage=nan&overwritten=true&futurePin=after.1.2&pattern=window&size=2',
  meaning:
    'word=war&beside=peace+gold&axes=words&across=war+peace&up=gold+silver&analogy=a+b+c&seed=7&of=arms&first=bear&second=sword&sentence=To+arms.&sentences=To+arms.&pick=2&layer=3',
  model:
    'text=To+be&then=12.7&seed=3&temperature=0.5&topK=40&topP=0.75&minP=0.1&layer=2&head=3&block=1&place=2&off=1h2.3a.4&from=one&into=two&carried=feedForward&trained=lora&rank=2&targets=q_proj.o_proj',
  multiply:
    'a=1,2;3,4&b=5;6&reading=outer&step=36&pin=c.0.1&order=blocked&access=100000&strassenA=1,2,0,1;3,1,2,0;0,1,4,2;2,0,1,4&strassenB=2,0,1,1;1,3,0,2;0,1,2,1;4,1,0,5&product=7&strassenPin=sc.0.2',
  tour: 'at=2.4&word=3&pulls=0,1,2,0.5,0,0,0,4&strict=1.5&pin=scores.0.2&seed=7&say=wugo+wug&off=5&is=02787fcd',
  towers:
    'source=a+b&target=c+d&mode=reverse&causal=no&padding=2&hides=no&flips=sourceMask.0.1!targetMask.2.2&step=1&feed=own&asks=3&asked=9&whole=memory&pin=scores.0.1&additivePin=dot.1.2',
  write: `exercise=causal&code=${write.packed('x = 1\n')}&made=abc&program=block&own=${write.packed('y = 2\n')}`,
};
