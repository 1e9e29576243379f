// Texts to begin with, by what a model was made for.
import type { StringKey } from "../text/strings";
import type { ModelInfo } from "../data/types";

export interface Sample {
  about: StringKey; // what to look for
  text: string;
  text2: string;
}

const sample = (about: StringKey, text: string, text2 = ""): Sample => ({ about, text, text2 });

const english: Sample[] = [
  sample("sample.it", "The animal did not cross the street because it was too tired."),
  sample("sample.bank", "She sat on the bank of the river and counted the money from the bank."),
  sample("sample.pair", "The cat sat on the mat.", "It was very tired."),
];

const stories: Sample[] = [
  sample("sample.story", "Once upon a time, there was a little girl named Lily. She loved to play outside with her dog."),
  sample("sample.who", "Tom had a red ball. He gave the ball to Lily because she was sad."),
  sample("sample.repeat", "The cat, the dog, the bird. The cat, the dog, the bird. The cat, the dog,"),
];

// Our own small models know few words, and each has one thing to show.
const own: Record<string, Sample[]> = {
  induction: [
    sample("sample.induction", "old tree red moon big bird sing new song old tree red moon big bird sing new song"),
    sample("sample.previous", "the cat sit small dog run the cow sleep the cat sit small dog run the cow"),
    sample("sample.once", "red blue green black white old new big small hot cold fast slow"),
  ],
  sort: [
    sample("sample.sort", "3 1 4 1 5 9 2 6 1 1 2 3 4 5 6"),
    sample("sample.descending", "9 8 7 6 5 4 3 2 2 3 4 5 6 7 8"),
    sample("sample.equal", "7 7 7 7 0 0 0 0 0 0 0 0 7 7 7"),
  ],
  coreference: [
    sample("sample.she", "小明把苹果给了小红，她很开心。"),
    sample("sample.swapped", "小红把苹果给了小明，她很开心。"),
    sample("sample.undecided", "小明把苹果给了小刚，他很开心。"),
  ],
  "en-zh": [
    sample("sample.chinese", "I love you."),
    sample("sample.chineseOrder", "You may use my new car."),
    sample("sample.chineseGiven", "He went to school yesterday.", "他昨天去学校了。"),
  ],
};

const translations: Sample[] = [
  sample("sample.german", "translate English to German: The house is wonderful.", "Das Haus ist wunderbar."),
  sample("sample.french", "translate English to French: I love my little dog.", "J'aime mon petit chien."),
  sample("sample.summary", "summarize: The storm came at night. It took the roof of the old school, but nobody was hurt.", "A storm damaged an old school."),
];

const chinese: Sample[] = [
  sample("sample.she", "小明把苹果给了小红，她很开心。"),
  sample("sample.account", "银行账户里的钱不够了。"),
  sample("sample.he", "小明去商店买了苹果，然后他回家了。"),
];

// A model's name is all that tells its language.
const readsChinese = ({ id, name }: ModelInfo) => /chinese|[-_.](zh|cn)\b|^(zh|cn)[-_]|汉|中文/i.test(`${id} ${name}`);

export function samplesFor(model: ModelInfo): Sample[] {
  if (own[model.id]) return own[model.id];
  if (readsChinese(model)) return chinese;
  if (model.family === "T5" || model.family === "BART") return translations;
  return model.family === "BERT" ? english : stories;
}
